"""What clouds and schedulers write when no machine comes, and the family of causes that it belongs to.

runs-on/runs-on#206: spot capacity that is taken back ends the machine. aws/karpenter-provider-aws#2570 and
2i2c-org/infrastructure#2185: the scheduler lists taints and selectors first, and what is short after them.
hjacobs/kubernetes-failure-stories#46: a range of addresses is used up. actions/actions-runner-controller#4168: a node
has as many pods as it takes. kubernetes/autoscaler#5692: the group of nodes is at its maximum.
kubernetes/autoscaler#8323: Azure cannot allocate what the request constrains. Azure/AKS#913: its errors come wrapped.
"""

import pytest

from bot.adapters.metrics.launch_errors import code_of
from bot.diagnosis.machines.refused import family

WRAPPED = (
    "Scale-up failed for group agentpool: compute.VirtualMachineScaleSetsClient#CreateOrUpdate: Failure sending "
    "request: StatusCode=409 -- Original Error: Code="
)
ENDED = "Instance became unhealthy while waiting for instance to be in InService state. Termination Reason: "


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        (f"{ENDED}Server.SpotInstanceTermination: Spot instance termination", "stockout"),
        (
            "0/9 nodes are available: 3 node(s) had untolerated taint {a: b}, 6 Insufficient nvidia.com/gpu.",
            "cluster_full",
        ),
        ("0/3 nodes are available: 1 Insufficient memory, 2 node(s) didn't match Pod's node affinity", "cluster_full"),
        ("0/9 nodes are available: 9 Too many pods.", "cluster_full"),
        ("no nodes available to schedule pods", "cluster_full"),
        ("The zone 'a' does not have enough resources available to fulfill the request", "stockout"),
        ("There are not enough free addresses in subnet 'a' for the requested number of instances.", "quota"),
        ("IP space of 'projects/a/regions/b/subnetworks/c' is exhausted", "quota"),
        ("Insufficient quota. Quota 'CPUS' exceeded. Limit: 24.0 in region us-central1.", "quota"),
        ("pod didn't trigger scale-up: 12 node(s) didn't match, 3 max node group size reached", "quota"),
        ("0/9 nodes are available: 9 node(s) didn't match Pod's node affinity/selector", "refused"),
        (f'{WRAPPED}"OverconstrainedAllocationRequest" Message="Allocation failed for these constraints"', "stockout"),
        (f'{WRAPPED}"SkuNotAvailable" Message="The size is currently not available in location a"', "stockout"),
        (f'{WRAPPED}"SubnetIsFull" Message="Subnet a with address prefix 10.0.0.0/24 is full"', "quota"),
        (f'{WRAPPED}"SomethingElse" Message="of which nobody has heard"', "refused"),
    ],
)
def test_a_sentence_without_a_code_has_its_family(message: str, cause: str) -> None:
    assert family(code_of(message)) == cause
