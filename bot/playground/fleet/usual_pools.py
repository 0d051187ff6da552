"""The pools of an ordinary day, from which the scenarios are made."""

from dataclasses import replace

from bot.playground.fleet.spec import PoolSpec, Source

PULL = Source("example/torch", "pull", "linux-jammy-py3.11 / test (default)", 0.5, 9)
TRUNK = Source("example/torch", "trunk", "linux-jammy-py3.11 / build", 0.25, 10)
VISION = Source("example/vision", "unit-tests", "unit-tests (3.11, cpu)", 0.15, 8)
DOCS = Source("example/torch", "docs", "docs push", 0.1, 6)

LINUX = PoolSpec(
    "linux.2xlarge", arrivals_per_minute=2.1, sources=(PULL, TRUNK, VISION, DOCS), minimum=0, limit=90, ceiling=90,
    creates_per_minute=2.7, spare=16, ephemeral=True, step=20,
)  # fmt: skip
LINUX_LARGE = PoolSpec(
    "linux.4xlarge",
    arrivals_per_minute=0.8,
    sources=(
        replace(PULL, job="linux-jammy-cuda12.8 / build", share=0.6, median_minutes=14),
        replace(TRUNK, share=0.4, median_minutes=12),
    ),
    minimum=4,
    limit=24,
    ceiling=60,
    spare=5,
)
GPU = PoolSpec(
    "linux.g5.4xlarge.nvidia.gpu",
    arrivals_per_minute=0.4,
    sources=(
        replace(PULL, job="linux-jammy-cuda12.8 / test (inductor)", share=0.7, median_minutes=25),
        replace(VISION, job="unit-tests (cuda)", share=0.3, median_minutes=18),
    ),
    minimum=6,
    limit=40,
    ceiling=60,
    boot_seconds=300,
    spare=4,
)
MACOS = PoolSpec(
    "macos-m1-stable",
    arrivals_per_minute=0.2,
    sources=(
        replace(TRUNK, job="macos-py3-arm64 / test", share=0.8, median_minutes=26),
        replace(VISION, job="unit-tests (macos)", share=0.2, median_minutes=15),
    ),
    minimum=16,
    limit=16,
    ceiling=16,
)
WINDOWS = PoolSpec(
    "windows.4xlarge",
    arrivals_per_minute=0.25,
    sources=(
        replace(TRUNK, job="win-vs2022-cpu-py3 / test", share=0.7, median_minutes=28),
        replace(VISION, job="unit-tests (windows)", share=0.3, median_minutes=20),
    ),
    minimum=4,
    limit=16,
    ceiling=40,
    boot_seconds=360,
    spare=6,
)
