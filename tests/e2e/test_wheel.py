"""The wheel, installed into an empty environment, is a working system outside a checkout."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import Command

CHECKOUT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).parent / "uv"
INSTALL_S = 600


async def ran(*arguments: str | Path, cwd: Path) -> str:
    process = await asyncio.create_subprocess_exec(
        *map(str, arguments), cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    output, _ = await process.communicate()
    assert process.returncode == 0, output.decode()
    return output.decode()


@pytest.mark.timeout(INSTALL_S)
async def test_an_installed_wheel_serves_remembers_and_recalls(tmp_path: Path) -> None:
    dist, venv = tmp_path / "dist", tmp_path / "venv"
    await ran(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist, cwd=CHECKOUT)
    [wheel] = dist.glob("*.whl")
    await ran(UV, "venv", "--python", sys.executable, venv, cwd=tmp_path)
    python = venv / "bin" / "python"
    constraints = ("--constraints", CHECKOUT / "requirements" / "dev.txt")
    await ran(UV, "pip", "install", "--python", python, *constraints, wheel, cwd=tmp_path)
    command = Command(tmp_path / "data", executable=venv / "bin" / "lightmem")

    served = await command.serve()
    try:
        async with served.client() as client:
            stored = await client.remember("ana", "s1", ["The loom is in Oran."], wait="written")
            recall = await client.recall("ana", "Where is the loom?")
        await served.kill()
        found = await command.run("recall", "ana", "Where is the loom?", "--json")
    finally:
        await served.kill()

    assert recall.items
    assert stored.turn_ids[0] in recall.items[0].source_turn_ids
    assert found.code == 0, found.stderr
    assert "Oran" in found.json()["items"][0]["text"]
