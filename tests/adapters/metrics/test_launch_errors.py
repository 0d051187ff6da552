"""The codes in what AWS, Karpenter, the cluster autoscaler and ARC write, and the causes that they mean."""

import pytest

from bot.adapters.metrics.launch_errors import code_of
from bot.diagnosis.machines.refused import family

LAUNCH = "Launching EC2 instance failed."
MESSAGES = [
    ("stockout", f"Could not launch On-Demand Instances. InsufficientInstanceCapacity - We do not have p3. {LAUNCH}"),
    ("stockout", f"We currently do not have sufficient g5.4xlarge capacity in zones with support for 'gp2'. {LAUNCH}"),
    ("stockout", "InsufficientCapacityError: NodeClaim x event: creating nodeclaim, insufficient capacity"),
    ("quota", f"You have requested more vCPU capacity than your current vCPU limit of 32 allows. {LAUNCH}"),
    ("quota", "MaxSpotInstanceCountExceeded - Max spot instance count exceeded"),
    ("quota", 'InvalidPod: Failed to create the pod: pods "x" is forbidden: exceeded quota: ci, requested: pods=1'),
    ("quota", "pod didn't trigger scale-up: 12 node(s) didn't match affinity, 3 max node group size reached"),
    ("quota", 'all available instance types exceed limits for nodepool: "default"'),
    ("image", f"The image id '[ami-0123]' does not exist. {LAUNCH}"),
    ("image", "Client.InvalidAMIID.NotFound: The image id does not exist"),
    ("permission", f"You are not authorized to perform this operation. Encoded message: x. {LAUNCH}"),
    ("throttled_cloud", f"Request limit exceeded. {LAUNCH}"),
    ("cloud_down", f"An internal error has occurred. {LAUNCH}"),
    ("refused", "TooManyPodFailures: Pod has failed to start more than 5 times"),
    ("cluster_full", "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available"),
    ("refused", "The specified LaunchTemplate has two AutoScaling tags"),
    ("refused", ""),
]  # fmt: skip


@pytest.mark.parametrize(("cause", "message"), MESSAGES)
def test_a_message_leads_to_its_cause(cause: str, message: str) -> None:
    """By its code, or by what it says; a message without either is shown as it is."""
    assert family(code_of(message)) == cause
    assert 0 < len(code_of(message)) <= 64
