"""Models of other packages as their users write them: transformers, timm, torchvision.

What is not installed is skipped: none of these packages is a requirement of the tests.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

import nvfuser

pytestmark = [
    # Graphs are large, and calls of Python functions mean something to one process only.
    pytest.mark.no_round_trip,
    pytest.mark.filterwarnings("ignore"),  # of these packages, about themselves
]

DOORS = ("compile", "jit")


@pytest.fixture(autouse=True)
def fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


def through(door: str, module: Any) -> Callable[..., Any]:
    return nvfuser.jit(module) if door == "jit" else torch.compile(module, backend="nvfuser")


def imported(name: str) -> Any:
    # torchvision raises RuntimeError where it was built for another version of torch.
    try:
        return pytest.importorskip(name, reason=f"{name} is not installed")
    except RuntimeError as error:
        pytest.skip(f"{name} cannot be imported: {error}")


# ---------------------------------------------------------------- transformers


def small_llama(device: str) -> Any:
    transformers = imported("transformers")
    config = transformers.LlamaConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        vocab_size=128,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=0,
    )
    return transformers.LlamaForCausalLM(config).to(device).eval()


def generate(model: Any, tokens: torch.Tensor, **settings: Any) -> torch.Tensor:
    result: torch.Tensor = model.generate(
        tokens,
        attention_mask=torch.ones_like(tokens),
        max_new_tokens=8,
        min_new_tokens=8,
        do_sample=False,
        **settings,
    )
    return result


def test_generate_with_a_static_cache(device: str) -> None:
    model = small_llama(device)
    other = copy.deepcopy(model)
    other.forward = torch.compile(other.forward, backend="nvfuser")
    for rows in (1, 2):
        tokens = torch.randint(3, 128, (rows, 5), device=device)
        expected = generate(model, tokens, cache_implementation="static")
        assert torch.equal(generate(other, tokens, cache_implementation="static"), expected)


def test_generate_with_a_compile_config(device: str) -> None:
    transformers = imported("transformers")
    model = small_llama(device)
    tokens = torch.randint(3, 128, (2, 5), device=device)
    expected = generate(model, tokens)
    config = transformers.CompileConfig(backend="nvfuser", mode=None, fullgraph=False)
    # Otherwise it is compiled for accelerators only.
    config._compile_all_devices = True
    result = generate(model, tokens, cache_implementation="static", compile_config=config)
    assert torch.equal(result, expected)


@pytest.mark.parametrize("door", DOORS)
def test_fine_tuning_of_a_classifier(door: str, device: str) -> None:
    transformers = imported("transformers")
    config = transformers.BertConfig(
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        vocab_size=128,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    model = transformers.BertForSequenceClassification(config).to(device)
    other = copy.deepcopy(model)
    curves = []
    for each, call in ((model, model), (other, through(door, other))):
        optimizer = torch.optim.AdamW(each.parameters(), lr=1e-3)
        generator = torch.Generator().manual_seed(1)
        losses = []
        for length in (8, 8, 11, 8):
            tokens = torch.randint(3, 128, (4, length), generator=generator).to(device)
            labels = (tokens.sum(1) % 2).to(device)
            loss = call(input_ids=tokens, labels=labels).loss
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(each.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        curves.append(losses)
    torch.testing.assert_close(curves[1], curves[0], rtol=1e-3, atol=1e-3)


# ---------------------------------------------------------------- timm


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["test_vit", "test_efficientnet", "test_resnet"])
def test_training_loop_of_timm(name: str, door: str, device: str) -> None:
    timm = imported("timm")
    from timm.loss import LabelSmoothingCrossEntropy
    from timm.optim import create_optimizer_v2
    from timm.scheduler import CosineLRScheduler
    from timm.utils import ModelEmaV3

    model = timm.create_model(name, num_classes=5, drop_rate=0.0, drop_path_rate=0.0).to(device)
    other = copy.deepcopy(model)
    size = model.default_cfg["input_size"]
    curves = []
    for each, call in ((model, model), (other, through(door, other))):
        optimizer = create_optimizer_v2(each, "adamw", lr=1e-3, weight_decay=0.05)
        scheduler = CosineLRScheduler(optimizer, t_initial=4)
        average = ModelEmaV3(each, decay=0.9)
        criterion = LabelSmoothingCrossEntropy(0.1)
        generator = torch.Generator().manual_seed(1)
        losses = []
        each.train()
        for step, batch in enumerate((4, 4, 3)):
            images = torch.randn(batch, *size, generator=generator).to(device)
            targets = torch.randint(0, 5, (batch,), generator=generator).to(device)
            loss = criterion(call(images), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            average.update(each, step=step)
            scheduler.step(step)
            losses.append(loss.item())
        each.eval()
        with torch.no_grad():
            images = torch.randn(2, *size, generator=generator).to(device)
            losses += call(images).flatten().tolist()
        curves.append(losses)
    torch.testing.assert_close(curves[1], curves[0], rtol=2e-2, atol=2e-2)


# ---------------------------------------------------------------- torchvision


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ["resnet18", "mobilenet_v3_small", "squeezenet1_1"])
def test_inference_loop_of_torchvision(name: str, door: str, device: str) -> None:
    torchvision = imported("torchvision")
    from torchvision.transforms import v2

    model = torchvision.models.get_model(name, weights=None).to(device).eval()
    call = through(door, model)
    preprocess = v2.Compose(
        [
            v2.Resize(72, antialias=True),
            v2.CenterCrop(64),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
        ]
    )
    with torch.inference_mode():
        for batch in (1, 4, 3):
            pictures = torch.randint(0, 256, (batch, 3, 80, 96), dtype=torch.uint8, device=device)
            images = preprocess(pictures)
            expected = model(images).softmax(-1).topk(3)
            result = call(images).softmax(-1).topk(3)
            torch.testing.assert_close(result.values, expected.values, rtol=1e-4, atol=1e-5)
