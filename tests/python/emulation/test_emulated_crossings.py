"""What kernels leave to each other and read of it, for the properties of a large GPU."""

from __future__ import annotations

import math
import re
from typing import Any

import torch
from planned_kernels import phases_of, planned

from nvfuser import DataType, FusionDefinition

HEADS, WIDTH, ROWS = 8, 32, 4000


def test_conversions_are_computed_again(kernels: list[str]) -> None:
    """Between kernels are the narrow elements, once; with a reshape between them, too."""

    def function(x: Any, weight: Any) -> Any:
        y = (x.float() * 2).bfloat16()
        rows = y.float().view(-1, HEADS, WIDTH).sum((0, 2))
        return torch.mm(y, weight), rows

    x = torch.empty(ROWS, HEADS * WIDTH, dtype=torch.bfloat16)
    weight = torch.empty(HEADS * WIDTH, 16, dtype=torch.bfloat16)
    for text in planned(kernels, function, x, weight):
        for phase in phases_of(text):
            large = re.findall(r"float\* __restrict__ T\d+", phase.split("{")[0])
            assert len(large) <= 2, "partial sums and their result"


def test_what_is_written_is_looked_at_in_another_shape(kernels: list[str]) -> None:
    """One tensor is written, for a product that reads it as rows and for heads that are summed."""

    def function(x: Any, bias: Any, weight: Any) -> Any:
        heads = (x.view(-1, HEADS, WIDTH) + bias).relu()
        rows = heads.view(-1, HEADS * WIDTH)
        return heads, torch.mm(rows, weight), rows.float().sum(0)

    x, bias = torch.empty(ROWS, HEADS * WIDTH), torch.empty(HEADS, WIDTH)
    texts = planned(kernels, function, x, bias, torch.empty(HEADS * WIDTH, 16))
    first, *_ = (phase for text in texts for phase in phases_of(text))
    parameters = first[: first.index("{")]
    written = re.findall(r"(?<!const )float\* __restrict__ T\d+", parameters)
    assert len(written) == 2, "the heads and partial sums"


def test_a_stack_reads_each_operand_once(kernels: list[str]) -> None:
    def function(*x: Any) -> Any:
        return torch.stack([2 * each for each in x], 1)

    (text,) = planned(kernels, function, *torch.empty(5, 1000, 128).unbind(0))
    code = text[text.rindex('extern "C"') :].splitlines()
    loads = [i for i, line in enumerate(code) if re.search(r"nvf::\w+<\d>\(T\d+, &T\d\[", line)]
    assert len(loads) == 5
    assert all(code[i - 1].lstrip().startswith("if (") for i in loads)


def test_elements_of_a_vector_in_a_row_have_one_row(kernels: list[str]) -> None:
    """What has one element for each head is read by the index of the vector's first element."""

    def function(x: Any, scale: Any) -> Any:
        return (x.view(-1, HEADS, WIDTH) * scale[..., None]).view(-1, HEADS * WIDTH).sum(0)

    x, scale = torch.empty(ROWS, HEADS * WIDTH), torch.empty(ROWS, HEADS)
    for text in planned(kernels, function, x, scale):
        for phase in phases_of(text):
            loops = re.findall(r"for \(int (i\d+) = 0; \1 < 4; \+\+\1\) \{([^{}]*)", phase)
            for index, body in loops:
                known = {index}
                for name, value in re.findall(r"const int (i\d+) = ([^;]*);", body):
                    if known & set(re.findall(r"i\d+", value)):
                        known.add(name)
                        assert "quotient" not in value
                        assert "modulo" not in value


def large_results(text: str) -> list[str]:
    """Return the types of what the kernels of a text write, pointer by pointer."""
    written: list[str] = []
    for phase in phases_of(text):
        parameters = phase[: phase.index("{")]
        written += re.findall(r"(?m)^ +(?! |const )([\w: ]+)\* __restrict__ T\d+", parameters)
    return written


def test_gradients_of_probabilities_are_narrowed_where_they_are_computed(
    kernels: list[str],
) -> None:
    """One kernel reads probabilities once and writes what both products read, in 16 bits."""

    def function(scores: Any, maxima: Any, sums: Any, d_out: Any, values: Any, keys: Any) -> Any:
        p = torch.exp(scores.view(2, HEADS, 512, 512) - maxima) / sums
        d_values = torch.bmm(p.view(-1, 512, 512).permute(0, 2, 1).bfloat16(), d_out)
        d_p = torch.bmm(d_out, values).float().view(2, HEADS, 512, 512)
        d_scores = d_p * p - p * (d_p * p).sum(-1, keepdim=True)
        return d_values, torch.bmm(d_scores.view(-1, 512, 512).bfloat16(), keys)

    batch = 2 * HEADS
    scores, rows = torch.empty(batch, 512, 512), torch.empty(2, HEADS, 512, 1)
    narrow = torch.empty(batch, 512, 64, dtype=torch.bfloat16)
    inputs = scores, rows, rows.clone(), narrow, narrow.mT.contiguous(), narrow.clone()
    (text,) = planned(kernels, function, *inputs)
    assert large_results(text) == ["nvf::bfloat16"] * 2


def test_results_that_permute_what_a_product_reads_are_not_copied(kernels: list[str]) -> None:
    """Where the caller takes them in any order, they lie in the same memory."""
    x, weight = torch.empty(8, 64, 128), torch.empty(128, 32)
    with FusionDefinition() as fd:
        t, w = (fd.define_tensor(list(each.shape), contiguity=True) for each in (x, weight))
        rows = fd.ops.reshape(fd.ops.tanh(t), [8 * 64, 128])
        fd.fusion.add_output(fd.ops.permute(rows, [1, 0]), is_order_open=True)
        fd.add_output(fd.ops.matmul(rows, w))
    transposed, product = fd.execute([x, weight])
    assert (transposed.shape, transposed.stride()) == ((128, 512), (1, 128))
    assert product.shape == (512, 32)
    (text,) = kernels
    assert large_results(text) == ["float"]


def test_softmax_and_its_dropout_are_one_kernel(kernels: list[str]) -> None:
    """What products and the graph of gradients read in another shape are views."""
    scores, values = torch.empty(2 * HEADS, 512, 512), torch.empty(2 * HEADS, 512, 64)
    seed = torch.zeros((), dtype=torch.int64)
    with FusionDefinition() as fd:
        s, v = (fd.define_tensor(list(each.shape), contiguity=True) for each in (scores, values))
        number = fd.define_tensor([], dtype=DataType.Int)
        shape = [2, HEADS, 512, 512]
        p = fd.ops.softmax(fd.ops.reshape(s, shape), 3)
        drawn = fd.ops.uniform(0.0, 1.0, shape, rng_seed=number, rng_offset=0)
        kept = fd.ops.lt(drawn, 0.9)
        dropped = fd.ops.reshape(fd.ops.where(kept, fd.ops.mul(p, 1 / 0.9), 0.0), scores.shape)
        narrow = fd.ops.cast(fd.ops.permute(dropped, [0, 2, 1]), DataType.BFloat16)
        for output in (p, kept, narrow):
            fd.fusion.add_output(output, is_order_open=True)
        fd.add_output(fd.ops.matmul(dropped, v))
    results = fd.execute([scores, values, seed])
    assert results[2].stride() == (512 * 512, 1, 512)
    (text,) = kernels
    assert sorted(large_results(text)) == ["float", "float", "nvf::bfloat16", "unsigned char"]


def test_what_is_looked_up_is_computed_of_the_narrow_elements(kernels: list[str]) -> None:
    """The loss of capped scores in 16 bits writes no table of them in single precision."""

    def function(scores: Any, labels: Any) -> Any:
        capped = (torch.tanh(scores / 30) * 30).float()
        return torch.nn.functional.cross_entropy(capped.view(-1, 32000), labels.view(-1))

    scores = torch.empty(2, 512, 32000, dtype=torch.bfloat16)
    texts = planned(kernels, function, scores, torch.zeros(2, 512, dtype=torch.int64))
    outputs = [re.findall(r"(?s)// Outputs:(.*?)// %kernel", text)[0] for text in texts]
    for tensor in re.findall(r"T\d+_g_\w+\[[^]]*\]", "".join(outputs)):
        assert math.prod(int(size) for size in re.findall(r"\{(\d+)\}", tensor)) <= 2 * 512


def test_products_with_small_tensors_are_computed_again(kernels: list[str]) -> None:
    """What columns are summed of is no table of products in single precision."""

    def function(table: Any, index: Any, y: Any, slope: Any, vector: Any, weight: Any) -> Any:
        narrow = table[index] + y
        sums = (narrow * slope).sum(-1).float()
        factors = torch.where(sums > 0, sums, 0.2 * sums)[:, :, None]
        rows = (slope + (factors * vector).bfloat16()).view(-1, HEADS * WIDTH)
        return (factors * narrow).sum(0), torch.mm(rows, weight), rows.sum(0)

    edges = 256 * ROWS
    table = torch.empty(ROWS, HEADS, WIDTH, dtype=torch.bfloat16)
    y = torch.empty(edges, HEADS, WIDTH, dtype=torch.bfloat16)
    index = torch.zeros(edges, dtype=torch.int64)
    weight = torch.empty(HEADS * WIDTH, 16, dtype=torch.bfloat16)
    texts = planned(
        kernels, function, table, index, y, y.clone(), torch.empty(HEADS, WIDTH), weight
    )
    # Two sums of each head of an edge, then those of columns in parts and as a whole, twice.
    results = [result for text in texts for result in large_results(text)]
    assert results.count("nvf::bfloat16") == 3
    first, *_ = texts
    assert large_results(first) == ["nvf::bfloat16", "float", "float"]
    columns = next(text for text in texts if "_mul_sum_" in text and text is not first)
    assert "bfloat16* __restrict__" in columns


def test_products_of_what_takes_long_are_computed_again(kernels: list[str]) -> None:
    """From a factor of each head, which is written, and what lies in memory anyway."""

    def function(x: Any, y: Any, scores: Any, table: Any, index: Any, vector: Any) -> Any:
        shares = torch.where(scores <= 20, (scores + table[index]) * torch.exp(scores), 0.0)
        for _ in range(3):
            shares = torch.exp(shares.clamp(max=20.0)) * scores
        repeated = shares[..., None].expand(-1, -1, WIDTH)
        rows = (x.float() + (repeated * vector).bfloat16()).bfloat16()
        sums = rows.view(-1, HEADS * WIDTH).float().sum(0)
        return shares, rows, sums, (repeated * y.float()).sum(0)

    edges = 256 * ROWS
    x = torch.empty(edges, HEADS, WIDTH, dtype=torch.bfloat16)
    scores, table = torch.empty(edges, HEADS), torch.empty(ROWS, HEADS)
    index = torch.zeros(edges, dtype=torch.int64)
    vector = torch.empty(HEADS, WIDTH)
    *_, columns = planned(kernels, function, x, x.clone(), scores, table, index, vector)
    assert "_mul_sum_" in columns
    assert "bfloat16* __restrict__" in columns


def factored(x: Any, factors: Any) -> Any:
    """Images with a factor for each channel, computed for groups of them."""
    return x * (factors * 2).flatten(1)[..., None, None]


def test_vectors_cross_what_reshapes_join(kernels: list[str]) -> None:
    """Channels of groups of three follow each other in memory as those of all groups do."""

    def function(x: Any, factors: Any, others: Any) -> Any:
        return factored(x, factors) + (others + 1).flatten(1)[..., None, None]

    x = torch.empty(128, 24, 56, 56).to(memory_format=torch.channels_last)
    (text,) = planned(kernels, function, x, *torch.empty(2, 128, 8, 3))
    code = text[text.rindex('extern "C"') :]
    assert not re.search(r"= T\d\[", code), "nothing is read element by element"
    assert len(re.findall(r"<4>\(&?T\d+(?:\[\w+\])?, &T\d\[", code)) == 3


def test_few_channels_are_turned_in_small_tiles(kernels: list[str]) -> None:
    x = torch.empty(128, 24, 56, 56).to(memory_format=torch.channels_last)

    def function(x: Any, factors: Any) -> Any:
        return factored(x.contiguous(), factors)

    (text,) = planned(kernels, function, x, torch.empty(128, 8, 3))
    assert "__syncthreads" in text[text.rindex('extern "C"') :]


def rotated(x: Any, cos: Any, sin: Any) -> Any:
    """Rotary embeddings of heads, which are views of what a product gives."""
    heads = x.unflatten(-1, (12, 64)).transpose(1, 2)
    heads = heads * (heads.float().square().mean(-1, keepdim=True) + 1).rsqrt()
    first, second = heads.chunk(2, -1)
    return (heads * cos + torch.cat((-second, first), -1) * sin).to(x.dtype)


def test_halves_of_heads_that_are_views(kernels: list[str]) -> None:
    """Kernels read heads where they are: nothing passes between phases of one."""

    def function(x: Any, weight: Any, cos: Any, sin: Any) -> Any:
        return rotated(x @ weight, cos, sin)

    half = torch.bfloat16
    x, weight = torch.empty(8, 512, 768, dtype=half), torch.empty(768, 768, dtype=half)
    cos, sin = torch.empty(2, 512, 64)
    texts = planned(kernels, function, x, weight, cos, sin)
    assert [len(phases_of(text)) for text in texts] == [1]
    assert all("_reshape_" not in text for text in texts)


def test_slices_of_what_another_kernel_wrote_are_read_from_it(kernels: list[str]) -> None:
    """Sums of channels are whole and parts of groups at once; none is copied for a part."""
    batch, channels, side, groups = 1, 64, 32, 8

    def function(gradient: Any, x: Any, mean: Any, rstd: Any, weight: Any) -> Any:
        sizes = (batch, channels, side * side, groups)
        return torch.ops.aten.native_group_norm_backward(
            gradient, x, mean, rstd, weight, *sizes, [True, True, True]
        )

    image, of_groups = torch.empty(batch, channels, side, side), torch.empty(batch, groups)
    inputs = (image, image.clone(), of_groups, of_groups.clone(), torch.empty(channels))
    texts = planned(kernels, function, *inputs)
    assert sum(len(phases_of(text)) for text in texts) <= 3
