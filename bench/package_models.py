"""Architectures of transformers, timm, torchvision and torch_geometric, built from configurations.

Their weights are random: nothing is downloaded. A name is that of the package and of the
architecture, like "transformers/gpt2"; the sizes are those of `bench/models`. `build` returns a
module that takes tensors and returns tensors: in training those of transformers compute the loss.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

__all__ = ["NAMES", "PACKAGES", "build", "is_installed"]


class Size(NamedTuple):
    batch: int
    # Of texts, and of models that have layers to choose.
    length: int
    layers: int
    width: int
    heads: int
    words: int
    # Of pictures, and of graphs.
    side: int
    nodes: int


SIZES = {
    "tiny": Size(2, 16, 2, 64, 4, 256, 64, 20),
    "cpu": Size(2, 64, 2, 256, 4, 4000, 224, 1000),
    "gpu": Size(8, 512, 6, 768, 12, 32000, 224, 20000),
}

# A module, and the arguments of a call by name.
Built = tuple[nn.Module, dict[str, Tensor]]


class Adapter(nn.Module):
    """A model with arguments by position, that returns tensors.

    Attributes
    ----------
    names : list of str
        Of the arguments.
    """

    def __init__(self, model: nn.Module, names: list[str]) -> None:
        super().__init__()
        self.model = model
        self.names = names

    def forward(self, *inputs: Tensor) -> Tensor | tuple[Tensor, ...]:
        """Return the loss and what it was computed of, in evaluation that alone."""
        keywords = dict(zip(self.names, inputs, strict=True))
        if not self.training:
            keywords.pop("labels", None)
        result = self.model(**keywords)
        if isinstance(result, Tensor):
            return result
        tensors = [getattr(result, name, None) for name in ("loss", "logits", "last_hidden_state")]
        there = tuple(x for x in tensors if x is not None)
        return there[0] if len(there) == 1 else there


# ------------------------------------------------------------------------------- transformers


def _usual(size: Size) -> dict[str, Any]:
    return {
        "hidden_size": size.width,
        "num_hidden_layers": size.layers,
        "num_attention_heads": size.heads,
        "intermediate_size": 4 * size.width,
        "vocab_size": size.words,
    }


def _roberta(size: Size) -> dict[str, Any]:
    # Positions are counted from the one behind that of padding, 1.
    return {**_usual(size), "max_position_embeddings": size.length + 2}


def _grouped(size: Size) -> dict[str, Any]:
    heads = {"num_key_value_heads": size.heads // 2, "head_dim": size.width // size.heads}
    return {**_usual(size), "intermediate_size": 3 * size.width, **heads}


def _distilled(size: Size) -> dict[str, Any]:
    return {
        "dim": size.width,
        "n_layers": size.layers,
        "n_heads": size.heads,
        "hidden_dim": 4 * size.width,
        "vocab_size": size.words,
    }


def _gpt2(size: Size) -> dict[str, Any]:
    own = {"n_embd": size.width, "n_layer": size.layers, "n_head": size.heads}
    return {**own, "n_positions": max(size.length, 64), "vocab_size": size.words}


def _bloom(size: Size) -> dict[str, Any]:
    own = {"hidden_size": size.width, "n_layer": size.layers, "n_head": size.heads}
    return {**own, "vocab_size": size.words}


def _t5(size: Size) -> dict[str, Any]:
    return {
        "d_model": size.width,
        "d_kv": size.width // size.heads,
        "d_ff": 4 * size.width,
        "num_layers": size.layers,
        "num_heads": size.heads,
        "vocab_size": size.words,
        "decoder_start_token_id": 0,
    }


def _bart(size: Size) -> dict[str, Any]:
    parts = ("encoder", "decoder")
    return {
        "d_model": size.width,
        "vocab_size": size.words,
        **{f"{part}_layers": size.layers for part in parts},
        **{f"{part}_attention_heads": size.heads for part in parts},
        **{f"{part}_ffn_dim": 4 * size.width for part in parts},
    }


def _whisper(size: Size) -> dict[str, Any]:
    tokens = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id"), 1)
    return {**_bart(size), "max_source_positions": size.length, **tokens}


def _opt(size: Size) -> dict[str, Any]:
    return {**_usual(size), "ffn_dim": 4 * size.width, "word_embed_proj_dim": size.width}


def _electra(size: Size) -> dict[str, Any]:
    return {**_usual(size), "embedding_size": size.width}


def _albert(size: Size) -> dict[str, Any]:
    return {**_usual(size), "embedding_size": size.width // 4}


def _sliding(size: Size) -> dict[str, Any]:
    return {**_grouped(size), "sliding_window": max(8, size.length // 2)}


def _experts(size: Size) -> dict[str, Any]:
    return {**_sliding(size), "num_local_experts": 4}


def _pictures(size: Size) -> dict[str, Any]:
    return {**_usual(size), "image_size": size.side, "patch_size": 16}


def _stages(size: Size) -> dict[str, Any]:
    widths = [size.width // 8 * 2**stage for stage in range(4)]
    return {"hidden_sizes": widths, "depths": [1, 1, size.layers, 1]}


# What takes the sizes of a configuration, and what is done: "words" are completed, a "text" or a
# "picture" is classified or encoded, a "sound" is encoded.
_TRANSFORMERS: dict[str, tuple[str, Callable[[Size], dict[str, Any]], str]] = {
    "bert": ("BertForMaskedLM", _usual, "words"),
    "gpt2": ("GPT2LMHeadModel", _gpt2, "words"),
    "llama": ("LlamaForCausalLM", _grouped, "words"),
    "t5": ("T5ForConditionalGeneration", _t5, "words"),
    "vit": ("ViTForImageClassification", _pictures, "picture"),
    "distilbert": ("DistilBertForMaskedLM", _distilled, "words"),
    "roberta": ("RobertaForSequenceClassification", _roberta, "text"),
    "albert": ("AlbertForMaskedLM", _albert, "words"),
    "electra": ("ElectraForSequenceClassification", _electra, "text"),
    "gpt_neox": ("GPTNeoXForCausalLM", _usual, "words"),
    "opt": ("OPTForCausalLM", _opt, "words"),
    "mistral": ("MistralForCausalLM", _sliding, "words"),
    "qwen3": ("Qwen3ForCausalLM", _grouped, "words"),
    "gemma2": ("Gemma2ForCausalLM", _sliding, "words"),
    "bart": ("BartForConditionalGeneration", _bart, "words"),
    "whisper_encoder": ("WhisperModel", _whisper, "sound"),
    "clip_vision": ("CLIPVisionModel", _pictures, "encoded"),
    "deberta_v2": ("DebertaV2ForMaskedLM", _usual, "words"),
    "bloom": ("BloomForCausalLM", _bloom, "words"),
    "qwen2": ("Qwen2ForCausalLM", _grouped, "words"),
    "mixtral": ("MixtralForCausalLM", _experts, "words"),
    "convnextv2": ("ConvNextV2ForImageClassification", _stages, "picture"),
}


def _transformers(name: str, size: Size) -> Built:
    import transformers

    of_model, configure, kind = _TRANSFORMERS[name]
    model_class = getattr(transformers, of_model)
    config = model_class.config_class(**configure(size))
    if hasattr(config, "use_cache"):
        config.use_cache = False
    model = model_class(config)
    if kind == "sound":
        features = torch.randn(size.batch, config.num_mel_bins, 2 * size.length)
        return model.encoder, {"input_features": features}
    if kind in ("picture", "encoded"):
        images = torch.randn(size.batch, 3, size.side, size.side)
        if kind == "encoded":
            return model, {"pixel_values": images}
        return model, {"pixel_values": images, "labels": torch.arange(size.batch) % 2}
    tokens = torch.randint(3, size.words, (size.batch, size.length))
    if kind == "text":
        return model, {"input_ids": tokens, "labels": torch.arange(size.batch) % 2}
    inputs = {"input_ids": tokens, "labels": tokens.clone()}
    if name == "t5":
        inputs["decoder_input_ids"] = tokens.clone()
    return model, inputs


# --------------------------------------------------------------------- timm, torchvision, graphs

_TIMM = (
    "resnet18", "convnext_atto", "vit_tiny_patch16_224", "mobilenetv3_small_100",
    "mixer_s32_224", "regnetx_002", "deit_tiny_patch16_224", "resnext50_32x4d",
    "swin_tiny_patch4_window7_224", "efficientnet_b0", "ghostnet_050", "poolformer_s12",
    "coatnet_nano_rw_224", "levit_128s",
)  # fmt: skip
_TORCHVISION = (
    "resnet50", "mobilenet_v2", "squeezenet1_1", "vgg11_bn", "shufflenet_v2_x0_5", "densenet121",
    "resnet18", "mobilenet_v3_small", "efficientnet_b0", "regnet_y_400mf", "vit_b_32",
    "convnext_tiny", "googlenet",
)  # fmt: skip
_GEOMETRIC = ("GCN", "GAT", "GraphSAGE", "GIN")


# More pictures than texts are in a batch.
def _images(size: Size, side: int = 224) -> dict[str, Tensor]:
    return {"x": torch.randn(4 * size.batch if size.batch > 2 else 2, 3, side, side)}


def _timm(name: str, size: Size) -> Built:
    import timm

    model = timm.create_model(name, num_classes=10)
    return model, _images(size, model.default_cfg["input_size"][-1])


def _torchvision(name: str, size: Size) -> Built:
    import torchvision

    options = {"init_weights": False} if name == "googlenet" else {}
    model = torchvision.models.get_model(name, weights=None, num_classes=10, **options)
    return model, _images(size)


def _geometric(name: str, size: Size) -> Built:
    from torch_geometric.nn import models

    width = size.width // 4
    model = getattr(models, name)(16, width, num_layers=size.layers, out_channels=10)
    edges = torch.randint(size.nodes, (2, 8 * size.nodes))
    return model, {"x": torch.randn(size.nodes, 16), "edge_index": edges}


PACKAGES: dict[str, tuple[Callable[[str, Size], Built], tuple[str, ...]]] = {
    "transformers": (_transformers, tuple(_TRANSFORMERS)),
    "timm": (_timm, _TIMM),
    "torchvision": (_torchvision, _TORCHVISION),
    "torch_geometric": (_geometric, _GEOMETRIC),
}


def _in_turn(names: list[list[str]]) -> list[str]:
    longest = max(map(len, names))
    return [each[i] for i in range(longest) for each in names if i < len(each)]


# The packages take turns, so that the first N are some of each.
NAMES = _in_turn([[f"{package}/{name}" for name in of] for package, (_, of) in PACKAGES.items()])


def is_installed(name: str) -> bool:
    """Whether the package of a model, or of this name, is there."""
    return importlib.util.find_spec(name.partition("/")[0]) is not None


def arguments(name: str, size: str = "tiny") -> Built:
    """Return a model, on the CPU, and the arguments of a call by name."""
    package, _, architecture = name.partition("/")
    create: Callable[[], Built] = partial(PACKAGES[package][0], architecture, SIZES[size])
    return create()


def build(
    name: str, size: str = "tiny", *, device: str = "cpu", seed: int = 0
) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """Return a module and the inputs of a call, as `models.build` does.

    Parameters
    ----------
    name : str
        One of `NAMES`.
    size : str
        "tiny", "cpu" or "gpu".
    device : str
    seed : int
        Of weights and inputs.
    """
    torch.manual_seed(seed)
    model, keywords = arguments(name, size)
    inputs = tuple(value.to(device) for value in keywords.values())
    return Adapter(model, list(keywords)).to(device), inputs
