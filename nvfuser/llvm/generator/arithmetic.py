"""Arithmetic, rounding, classification, comparison and integer functions: no approximation."""

from __future__ import annotations

from builder import TYPES, Family, Function, Value

FLOATS = ("f32", "f64")
INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
COMPARISONS = {
    "eq": ("oeq", "eq", "eq"),
    "ne": ("une", "ne", "ne"),
    "lt": ("olt", "slt", "ult"),
    "le": ("ole", "sle", "ule"),
    "gt": ("ogt", "sgt", "ugt"),
    "ge": ("oge", "sge", "uge"),
}


def sign_bit(type_: str) -> int:
    """The mask of the sign in a float's bits."""
    return -(1 << {"float": 31, "double": 63}[type_])


def width(type_: str) -> int:
    """Bits of an integer type."""
    return int(type_[1:])


def less(a: Value, other: Value | float, unsigned: bool) -> Value:
    """a < other for any type."""
    return a.compare("ult", other) if unsigned else a < other


def greater(a: Value, other: Value | float, unsigned: bool) -> Value:
    """a > other for any type."""
    return a.compare("ugt", other) if unsigned else a > other


def integer_quotient(b: Function, x: Value, y: Value, unsigned: bool) -> tuple[Value, Value, Value]:
    """A divisor that cannot trap, the quotient by it, and whether the real one is zero.

    INT_MIN / -1 is the other trap: -1 is replaced by 1 and the result negated.
    """
    zero = y.equals(0)
    if unsigned:
        safe = zero.select(1, y)
        return safe, x.opcode("udiv", safe), zero
    minus_one = y.equals(-1)
    safe = (zero | minus_one).select(1, y)
    quotient = x.opcode("sdiv", safe)
    return safe, minus_one.select(0 - x, quotient), zero


def divide(b: Function, x: Value, y: Value, unsigned: bool) -> Value:
    """Quotient truncated toward zero; -1 (all bits set) for a zero divisor."""
    _, quotient, zero = integer_quotient(b, x, y, unsigned)
    return zero.select(-1, quotient)


def modulo(b: Function, x: Value, y: Value, unsigned: bool) -> Value:
    """Remainder with the dividend's sign; the dividend for a zero divisor."""
    safe, _, zero = integer_quotient(b, x, y, unsigned)
    return zero.select(x, x.opcode("urem" if unsigned else "srem", safe))


def remainder(b: Function, x: Value, y: Value, unsigned: bool) -> Value:
    """Remainder with the divisor's sign; the dividend for a zero divisor."""
    m = modulo(b, x, y, unsigned)
    if unsigned:
        return m
    wrong = (m ^ y) < 0
    # The divisor is zero only if m is the dividend: adding zero then changes nothing.
    return (wrong & m.differs(0)).select(m + y, m)


def float_modulo(b: Function, x: Value, y: Value) -> Value:
    """Remainder with the dividend's sign, exact. Of doubles it is a call of C's fmod.

    For floats it is straight-line code in double: the quotient has up to 277 bits, and each of ten
    steps takes 28 of them off by a multiple of the divisor. Every product and difference is exact:
    24 bits times 29, and a result that is a multiple of the unit of either operand.
    """
    if x.type == "double":
        return b.emit("mod", x.type, f"frem {x.type} {x.text}, {y.text}")
    rest = x.abs().cast("fpext", "double")
    divisor = y.abs().cast("fpext", "double")
    inverse = 1.0 / divisor
    for step in reversed(range(10)):
        scale = 2.0 ** (28 * step)
        quotient = b.intrinsic("rint", rest * (inverse * (1 / scale)))
        rest = b.fma(-quotient, divisor * scale, rest)
    rest = (rest < 0.0).select(rest + divisor, rest).cast("fptrunc", "float")
    infinite = y.abs().equals(float("inf")) & (x.abs() < float("inf"))
    return infinite.select(x, rest.copysign(x))


USUAL_QUOTIENT = 2.0**22


def has_usual_quotient(b: Function, x: Value, y: Value) -> Value:
    """Whether the rounding of a quotient of floats changes its integer part by one at most.

    The divisor may not be infinite, nor so large that the bound would be.
    """
    divisor = y.abs()
    bounded = x.abs().compare("ult", divisor * USUAL_QUOTIENT)
    return bounded & divisor.compare("ult", 2.0**100)


def usual_modulo(b: Function, x: Value, y: Value) -> Value:
    """`float_modulo` of a usual quotient: the rest is a float, whether the quotient is one less."""
    divisor = y.abs()
    quotient = b.intrinsic("trunc", x.abs() / divisor)
    rest = b.exact_fma(-quotient, divisor, x.abs())
    return (rest < 0.0).select(rest + divisor, rest).copysign(x)


def has_other_sign(rest: Value, y: Value) -> Value:
    """Whether a remainder that is not zero has not the divisor's sign."""
    return rest.differs(0.0) & ((rest < 0.0) ^ (y < 0.0))


def divisors_sign(rest: Value, y: Value) -> Value:
    """The remainder with the divisor's sign of that with the dividend's."""
    return has_other_sign(rest, y).select(rest + y, rest)


def float_remainder(b: Function, x: Value, y: Value) -> Value:
    """Remainder with the divisor's sign, as torch.remainder."""
    return divisors_sign(float_modulo(b, x, y), y)


def usual_remainder(b: Function, x: Value, y: Value) -> Value:
    """`float_remainder` of a usual quotient."""
    return divisors_sign(usual_modulo(b, x, y), y)


def floor_divide(b: Function, x: Value, y: Value, unsigned: bool) -> Value:
    """Quotient rounded toward minus infinity; -1 for a zero divisor."""
    safe, quotient, zero = integer_quotient(b, x, y, unsigned)
    if not unsigned:
        rest = x.opcode("srem", safe)
        # `safe` replaces -1, which leaves no remainder either.
        below = rest.differs(0) & ((rest ^ y) < 0)
        quotient = quotient - below.select(b.value(1, x.type), b.value(0, x.type))
    return zero.select(-1, quotient)


def float_floor_divide(b: Function, x: Value, y: Value) -> Value:
    """Quotient rounded toward minus infinity, from the exact remainder as torch.floor_divide."""
    rest = float_modulo(b, x, y)
    quotient = (x - rest) / y
    quotient = has_other_sign(rest, y).select(quotient - 1.0, quotient)
    floor = b.intrinsic("floor", quotient)
    # The division may have rounded down to just below an integer.
    floor = ((quotient - floor) > 0.5).select(floor + 1.0, floor)
    plain = x / y
    floor = quotient.equals(0.0).select(b.value(0.0, x.type).copysign(plain), floor)
    return y.equals(0.0).select(plain, floor)


def usual_floor_divide(b: Function, x: Value, y: Value) -> Value:
    """`float_floor_divide` of a usual quotient, which may have been rounded up to an integer."""
    floor = b.intrinsic("floor", x / y)
    rest = b.exact_fma(-floor, y, x)
    return has_other_sign(rest, y).select(floor - 1.0, floor)


# With the function of usual quotients, of floats.
DIVISIONS = {
    "fmod": (float_modulo, usual_modulo),
    "mod": (float_modulo, usual_modulo),
    "remainder": (float_remainder, usual_remainder),
    "floor_div": (float_floor_divide, usual_floor_divide),
}


def shift(x: Value, count: Value, opcode: str) -> Value:
    """A shift for any count: out of range (negative too) gives zeros, or the sign for ``ashr``."""
    bits = width(x.type)
    outside = count.compare("uge", bits)
    if opcode == "ashr":
        return x.ashr(outside.select(bits - 1, count))
    inside = outside.select(0, count)
    return outside.select(0, x.opcode(opcode, inside))


def gcd(name: str, suffix: str) -> Function:
    """Euclid's algorithm; of lcm, with the product of the magnitudes divided by what it finds."""
    type_ = TYPES[suffix]
    f = Function(f"{name}.{suffix}", [(type_, "a"), (type_, "b")], type_)
    if suffix.startswith("u"):
        first, second = "%a", "%b"
    else:
        f.declarations.add(f"declare {type_} @llvm.abs.{type_}({type_}, i1)")
        f.lines += [
            f"  %abs.a = call {type_} @llvm.abs.{type_}({type_} %a, i1 false)",
            f"  %abs.b = call {type_} @llvm.abs.{type_}({type_} %b, i1 false)",
        ]
        first, second = "%abs.a", "%abs.b"
    f.lines = ["entry:", *f.lines]
    f.lines += [
        "  br label %loop",
        "loop:",
        f"  %x = phi {type_} [ {first}, %entry ], [ %y, %step ]",
        f"  %y = phi {type_} [ {second}, %entry ], [ %rest, %step ]",
        f"  %done = icmp eq {type_} %y, 0",
        "  br i1 %done, label %exit, label %step",
        "step:",
        f"  %rest = urem {type_} %x, %y",
        "  br label %loop",
        "exit:",
    ]
    if name == "lcm":
        # The divisor is zero only if both are: 0 divided by 1 then is the result.
        f.lines += [
            f"  %zero = icmp eq {type_} %x, 0",
            f"  %divisor = select i1 %zero, {type_} 1, {type_} %x",
            f"  %quotient = udiv {type_} {first}, %divisor",
            f"  %result = mul {type_} %quotient, {second}",
            f"  ret {type_} %result",
        ]
    else:
        f.lines.append(f"  ret {type_} %x")
    return f


def integer_power(suffix: str) -> Function:
    """Square and multiply, wrapping; a negative exponent gives 0 but for the bases 1 and -1."""
    type_ = TYPES[suffix]
    f = Function(f"pow.{suffix}", [(type_, "a"), (type_, "b")], type_)
    f.lines += [
        "entry:",
        "  br label %loop",
        "loop:",
        f"  %exponent = phi {type_} [ %b, %entry ], [ %halved, %step ]",
        f"  %base = phi {type_} [ %a, %entry ], [ %square, %step ]",
        f"  %product = phi {type_} [ 1, %entry ], [ %next, %step ]",
        f"  %done = icmp eq {type_} %exponent, 0",
        "  br i1 %done, label %exit, label %step",
        "step:",
        f"  %low = and {type_} %exponent, 1",
        f"  %odd = icmp ne {type_} %low, 0",
        f"  %multiplied = mul {type_} %product, %base",
        f"  %next = select i1 %odd, {type_} %multiplied, {type_} %product",
        f"  %square = mul {type_} %base, %base",
        f"  %halved = lshr {type_} %exponent, 1",
        "  br label %loop",
        "exit:",
    ]
    if suffix.startswith("u"):
        f.lines.append(f"  ret {type_} %product")
        return f
    # The loop takes a negative exponent as a large one: harmless, and right for 1 and -1.
    f.lines += [
        f"  %negative = icmp slt {type_} %b, 0",
        f"  %above = add {type_} %a, 1",
        f"  %unit = icmp ult {type_} %above, 3",
        f"  %zero = icmp eq {type_} %a, 0",
        "  %not.zero = xor i1 %zero, true",
        "  %is.unit = and i1 %unit, %not.zero",
        "  %not.unit = xor i1 %is.unit, true",
        "  %vanishes = and i1 %negative, %not.unit",
        f"  %result = select i1 %vanishes, {type_} 0, {type_} %product",
        f"  ret {type_} %result",
    ]
    return f


def nextafter(b: Function, x: Value, y: Value) -> Value:
    """The next value of x toward y, by stepping its bits."""
    bits = x.bits()
    magnitude = bits & ~sign_bit(x.type)
    one = b.value(1, bits.type)
    away = (x < y).compare("eq", bits >= 0)
    stepped = bits + away.select(one, -one)
    from_zero = (y.bits() & sign_bit(x.type)) | 1
    result = magnitude.equals(0).select(from_zero, stepped).as_float()
    result = x.equals(y).select(y, result)
    return x.compare("uno", y).select(x + y, result)


def logical_not(b: Function, x: Value) -> Value:
    """x == 0."""
    return x.equals(0)


def sign(b: Function, x: Value, unsigned: bool = False) -> Value:
    """-1, 0 or 1; 0 for NaN."""
    zero = b.value(0, x.type)
    negative = zero if unsigned else less(x, 0, unsigned).select(-1, zero)
    return greater(x, 0, unsigned).select(1, negative)


def _floats(family: Family, suffix: str) -> None:
    inf = float("inf")
    for op, intrinsic in {
        "abs": "fabs",
        "ceil": "ceil",
        "floor": "floor",
        "round": "rint",
        "sqrt": "sqrt",
        "trunc": "trunc",
    }.items():
        family.unary(op, suffix, lambda b, x, name=intrinsic: b.intrinsic(name, x))
    family.unary("neg", suffix, lambda b, x: -x)
    family.unary("frac", suffix, lambda b, x: x - b.intrinsic("trunc", x))
    family.unary("reciprocal", suffix, lambda b, x: 1.0 / x)
    family.unary("rsqrt", suffix, lambda b, x: 1.0 / b.intrinsic("sqrt", x))
    family.unary("relu", suffix, lambda b, x: (x < 0.0).select(0.0, x))
    family.unary("sign", suffix, sign)
    family.unary("isnan", suffix, lambda b, x: x.is_nan(), "i1")
    family.unary("isinf", suffix, lambda b, x: x.abs().equals(inf), "i1")
    family.unary("isfinite", suffix, lambda b, x: x.abs() < inf, "i1")
    family.unary("isposinf", suffix, lambda b, x: x.equals(inf), "i1")
    family.unary("isneginf", suffix, lambda b, x: x.equals(-inf), "i1")
    family.unary("isreal", suffix, lambda b, x: b.value(True, "i1"), "i1")
    family.unary("signbit", suffix, lambda b, x: x.bits() < 0, "i1")
    family.unary("logical_not", suffix, logical_not, "i1")
    for op in ("add", "sub", "mul", "div", "truediv"):
        family.binary(op, suffix, lambda b, x, y, op=op: x._binary(y, op.removeprefix("true")))
    # The second operand may be a known number: then this is one instruction of x86.
    nan_wins = "NaN wins."
    family.binary(
        "maximum", suffix, lambda b, x, y: ((y > x) | y.is_nan()).select(y, x), comment=nan_wins
    )
    family.binary(
        "minimum", suffix, lambda b, x, y: ((y < x) | y.is_nan()).select(y, x), comment=nan_wins
    )
    for op, (body, usual) in DIVISIONS.items():
        family.binary(op, suffix, body)
        if suffix == "f32":
            family.usual(f"{op}.f32", usual, has_usual_quotient)
    family.binary("nextafter", suffix, nextafter)
    family.binary("copysign", suffix, lambda b, x, y: b.intrinsic("copysign", x, y))
    for op, (predicate, _, _) in COMPARISONS.items():
        family.binary(op, suffix, lambda b, x, y, p=predicate: x.compare(p, y), "i1")


def _integers(family: Family, suffix: str) -> None:
    unsigned = suffix.startswith("u")
    for op in ("ceil", "floor", "round", "trunc"):
        family.unary(op, suffix, lambda b, x: x)
    family.unary(
        "abs", suffix, lambda b, x: x if unsigned else b.intrinsic("abs", x, extra="i1 false")
    )
    family.unary("neg", suffix, lambda b, x: 0 - x)
    family.unary("frac", suffix, lambda b, x: b.value(0, x.type))
    family.unary(
        "relu", suffix, lambda b, x: x if unsigned else (x > 0).select(x, b.value(0, x.type))
    )
    family.unary("sign", suffix, lambda b, x: sign(b, x, unsigned))
    family.unary("bitwise_not", suffix, lambda b, x: ~x)
    family.unary("logical_not", suffix, logical_not, "i1")
    for op, value in {
        "isnan": False,
        "isinf": False,
        "isfinite": True,
        "isposinf": False,
        "isneginf": False,
        "isreal": True,
    }.items():
        family.unary(op, suffix, lambda b, x, value=value: b.value(value, "i1"), "i1")
    family.unary("signbit", suffix, lambda b, x: b.value(False, "i1") if unsigned else x < 0, "i1")
    for op in ("add", "sub", "mul"):
        family.binary(op, suffix, lambda b, x, y, op=op: x._binary(y, op))
    family.binary("div", suffix, lambda b, x, y: divide(b, x, y, unsigned))
    family.binary("floor_div", suffix, lambda b, x, y: floor_divide(b, x, y, unsigned))
    for op in ("mod", "fmod"):
        family.binary(op, suffix, lambda b, x, y: modulo(b, x, y, unsigned))
    family.binary("remainder", suffix, lambda b, x, y: remainder(b, x, y, unsigned))
    family.binary("maximum", suffix, lambda b, x, y: greater(x, y, unsigned).select(x, y))
    family.binary("minimum", suffix, lambda b, x, y: less(x, y, unsigned).select(x, y))
    for op in ("and", "or", "xor"):
        family.binary(f"bitwise_{op}", suffix, lambda b, x, y, op=op: x.opcode(op, y))
    for op, opcode in {
        "bitwise_left_shift": "shl",
        "bitwise_right_shift": "lshr" if unsigned else "ashr",
        "logical_right_shift": "lshr",
    }.items():
        family.binary(op, suffix, lambda b, x, y, opcode=opcode: shift(x, y, opcode))
    for op in ("gcd", "lcm"):
        family.add(gcd(op, suffix))
    family.add(integer_power(suffix))
    for op, predicates in COMPARISONS.items():
        predicate = predicates[2 if unsigned else 1]
        family.binary(op, suffix, lambda b, x, y, p=predicate: x.compare(p, y), "i1")


def _booleans(family: Family) -> None:
    for op in ("logical_not", "bitwise_not"):
        family.unary(op, "i1", lambda b, x: ~x)
    for op in ("abs", "ceil", "floor", "neg", "round", "trunc", "relu", "sign"):
        family.unary(op, "i1", lambda b, x: x)
    for op, value in {
        "isnan": False,
        "isinf": False,
        "isfinite": True,
        "isposinf": False,
        "isneginf": False,
        "isreal": True,
        "signbit": False,
    }.items():
        family.unary(op, "i1", lambda b, x, value=value: b.value(value, "i1"))
    for op, opcode in {
        "add": "or",
        "sub": "xor",
        "mul": "and",
        "gcd": "or",
        "lcm": "and",
        "maximum": "or",
        "minimum": "and",
        "bitwise_and": "and",
        "bitwise_or": "or",
        "bitwise_xor": "xor",
        "ne": "xor",
    }.items():
        family.binary(op, "i1", lambda b, x, y, opcode=opcode: x.opcode(opcode, y))
    # What the rules for integers give, as truth values.
    for op in ("div", "floor_div", "pow"):
        family.binary(op, "i1", lambda b, x, y: x | ~y)
    for op in ("mod", "fmod", "remainder"):
        family.binary(op, "i1", lambda b, x, y: x & ~y)
    for op, (_, _, predicate) in COMPARISONS.items():
        if op != "ne":
            family.binary(op, "i1", lambda b, x, y, p=predicate: x.compare(p, y))


def family() -> Family:
    """The functions of arithmetic.ll."""
    result = Family("arithmetic", "Arithmetic, rounding, classification and integer functions.")
    for suffix in FLOATS:
        _floats(result, suffix)
    for suffix in INTEGERS:
        _integers(result, suffix)
    _booleans(result)
    return result
