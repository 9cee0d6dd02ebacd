# SPDX-License-Identifier: GPL-3.0-or-later
# Copyright 2026 the gr-cldsp authors.

"""The options that choose the filter bank's engine."""

OPTIONS = ("device", "algorithm", "accuracy", "variant", "transfer")


def add_options(parser):
    """Add the options to an argument parser."""
    group = parser.add_argument_group("the filter bank's engine")
    group.add_argument("--device", default="auto",
                       help="auto (the fastest, the host included), gpu, cpu, host, P:D or part "
                       "of a name (default auto)")
    group.add_argument("--algorithm", default="auto",
                       help="direct, fast_convolution or auto (default auto)")
    group.add_argument("--accuracy", type=float, default=1e-5, metavar="X",
                       help="how much fast convolution may change the frequency response, "
                       "0 to 0.1 (default 1e-5)")
    group.add_argument("--variant", default="auto", help="the kernel variant (default auto)")
    group.add_argument("--transfer", default="auto",
                       help="copy, mapped, zero_copy or auto (default auto)")


def chosen(args):
    """The values of the options, as keyword arguments of the bank."""
    return {name: getattr(args, name) for name in OPTIONS}
