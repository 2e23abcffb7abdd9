"""The command line: info, bench and demo run and show what they say they do."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import torch

import nvfuser
from nvfuser.cli import main


def test_info(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))
    main(["info"])
    text = capsys.readouterr().out
    assert str(nvfuser.__version__) in text
    assert torch.__version__.partition("+")[0] in text
    assert "LLVM" in text
    assert str(tmp_path) in text
    assert "0 files, 0.0 MB" in text
    assert re.search(r"threads +\d+", text)


def test_info_without_torch() -> None:
    code = "import sys; sys.modules['torch'] = None; from nvfuser.cli import main; main(['info'])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert re.search(r"torch +unusable", result.stdout)


def test_bench(capsys: pytest.CaptureFixture[str], device: str) -> None:
    main(["bench", "--no-compile", "--budget", "0.001", "--device", device])
    text = capsys.readouterr().out
    for row in ("1 input ", "2 inputs", "8 inputs", "16 inputs", "1024 elements", "1048576 ele"):
        assert row in text
    assert "torch.compile is not measured: --no-compile" in text


def test_demo(capsys: pytest.CaptureFixture[str], device: str, tmp_path) -> None:
    text_file = tmp_path / "text"
    text_file.write_text("Call me Ishmael.")
    arguments = ["--layers", "1", "--prompt", "9", "--tokens", "2", "--no-compile"]
    main(["demo", *arguments, "--device", device, "--text", str(text_file)])
    text = capsys.readouterr().out
    assert "9 bytes read, 2 decoded" in text
    assert "'Call me I'" in text
    rows = [line for line in text.splitlines() if line.startswith(("| eager", "| nvfuser"))]
    assert len(rows) == 2
    assert all(row.rstrip(" |").endswith("3/3") for row in rows)


def test_parts_of_the_demo_agree_in_every_dtype(device: str) -> None:
    from nvfuser.cli.model import (
        HEAD,
        HIDDEN,
        INTERMEDIATE,
        QK,
        QKV,
        Decoder,
        EagerParts,
        FusedParts,
    )

    for dtype, atol in ((torch.float32, 1e-5), (torch.bfloat16, 0.05)):
        model = Decoder(0, dtype, device, 0)
        eager, fused = EagerParts(model), FusedParts(model)
        generator = torch.Generator().manual_seed(0)
        for tokens, start in ((1, 0), (1, 77), (5, 3)):

            def tensor(*shape: int) -> torch.Tensor:
                return torch.randn(shape, generator=generator).to(device, dtype)  # noqa: B023

            x, y, weight = tensor(tokens, HIDDEN), tensor(tokens, HIDDEN), tensor(HIDDEN)
            heads = tensor(tokens, QKV)[:, :QK].unflatten(-1, (-1, HEAD))
            gate_up = tensor(tokens, 2 * INTERMEDIATE)
            for name, arguments in (
                ("norm", (x, weight)),
                ("add_norm", (x, y, weight)),
                ("rotate", (heads, start)),
                ("gate", (gate_up,)),
            ):
                expected = getattr(eager, name)(*arguments)
                output = getattr(fused, name)(*arguments)
                torch.testing.assert_close(output, expected, atol=atol, rtol=0.02)


@pytest.mark.parametrize(
    "arguments", [[], ["no such command"], ["demo", "--no-such-option"], ["demo", "--tokens", "0"]]
)
def test_wrong_arguments(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2


def test_module_is_runnable() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "nvfuser", "--help"], capture_output=True, text=True, check=True
    )
    for command in ("info", "bench", "demo"):
        assert command in result.stdout
