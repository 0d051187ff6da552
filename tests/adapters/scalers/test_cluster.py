"""How a Kubernetes API server is reached: the token that rotates, the cluster's own CA, and what is missing."""

from pathlib import Path

import pytest

from bot.adapters.scalers.kubernetes import build
from bot.ports import Capacity, Failure, Unreachable
from tests.adapters.back_end import BackEnd, parts_with, patient_pool
from tests.adapters.on_the_way import serving_tls
from tests.adapters.scalers.kubernetes_api import DEPLOYMENT, KubernetesApi
from tests.answering import answering

TABLE = {"kind": "kubernetes", "namespace": "ci", "name": "runners", "max": 50}
SCALE = b'{"metadata":{"resourceVersion":"1"},"spec":{"replicas":10},"status":{"replicas":9}}'


async def test_a_token_file_is_read_again_when_it_rotates(tmp_path: Path) -> None:
    """The kubelet renews it about hourly; no restart is needed."""
    api, token = KubernetesApi(), tmp_path / "token"
    api.put(DEPLOYMENT, {"replicas": 10}, {"replicas": 10})
    token.write_text("cluster-token\n")
    async with answering(api.endpoint) as url, patient_pool() as wire:
        scaler, _ = build("linux", "[x]", {**TABLE, "url": url, "token_file": str(token)}, parts_with(wire))
        assert (await scaler.read()).level == 10
        api.token = "renewed-token"
        with pytest.raises(Unreachable) as caught:
            await scaler.read()
        assert caught.value.failure is Failure.CREDENTIALS
        token.write_text("renewed-token")
        assert (await scaler.read()).level == 10


async def test_outside_of_a_cluster_it_says_what_to_set(tmp_path: Path) -> None:
    missing = str(tmp_path / "token")
    async with patient_pool() as wire:
        scaler, _ = build("linux", "[x]", {**TABLE, "token_file": missing}, parts_with(wire))
        with pytest.raises(Unreachable, match=r"cannot read the service account's token.*or set token_env") as caught:
            await scaler.read()
    assert caught.value.failure is Failure.SHAPE
    assert missing in str(caught.value)


async def test_without_a_token_file_no_token_is_sent() -> None:
    back = BackEnd().says(200, {"metadata": {}, "spec": {"replicas": 1}})
    raw = {**TABLE, "url": "http://localhost:8001", "token_file": ""}
    assert (await build("linux", "[x]", raw, back.parts())[0].read()).level == 1
    assert "authorization" not in back.requests[0].headers


@pytest.mark.parametrize("body", [{"kind": "Scale"}, [], "x", {"spec": None}])
async def test_an_answer_that_is_no_object_is_no_size(body: object) -> None:
    back = BackEnd().says(200, body)
    with pytest.raises(Unreachable, match="not a Kubernetes object") as caught:
        await build("linux", "[x]", {**TABLE, "url": "http://k8s.test", "token_file": ""}, back.parts())[0].read()
    assert caught.value.failure is Failure.LATER


async def test_an_https_address_is_verified_by_the_clusters_own_authority(tmp_path: Path) -> None:
    """Its certificate is signed by nobody whom the machine knows."""
    async with serving_tls(tmp_path, SCALE) as (url, ca_file), patient_pool() as wire:
        parts, raw = parts_with(wire), {**TABLE, "url": url, "token_file": ""}
        believing, _ = build("linux", "[x]", {**raw, "ca_file": ca_file}, parts)
        assert await believing.read() == Capacity(9, desired=10)
        doubting, _ = build("linux", "[x]", {**raw, "ca_file": ""}, parts)
        with pytest.raises(Unreachable, match="CERTIFICATE_VERIFY_FAILED") as caught:
            await doubting.read()
        assert caught.value.failure is Failure.UNCONNECTED
        (tmp_path / "empty.crt").write_text("")
        empty, _ = build("linux", "[x]", {**raw, "ca_file": str(tmp_path / "empty.crt")}, parts)
        with pytest.raises(Unreachable, match="or the cluster's CA"):
            await empty.read()
