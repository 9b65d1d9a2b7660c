"""_torch.py: flows as functions of tensors that torch can differentiate."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._errors import InputError, ToolError
from ._flow import Flow
from ._gradient import find, numbers_of, record


def import_torch() -> Any:
    """The module, or ToolError."""
    try:
        import torch
    except ImportError as error:
        raise ToolError("torch is not installed", "import torch",
                        "install python3-torch, or give a loss of NumPy arrays") from error
    return torch


_function: Any = None


def flow_function() -> Any:
    """The torch.autograd.Function of torch_flow, created at the first call."""
    global _function
    if _function is not None:
        return _function
    torch = import_torch()

    class FlowFunction(torch.autograd.Function):  # type: ignore[name-defined,misc]
        """(flow, frames, states, names, tensors...) -> positions."""

        @staticmethod
        def forward(ctx: Any, flow: Flow, frames: bool, states: int, names: tuple[str, ...],
                    *tensors: Any) -> Any:
            at = {name: tensor.detach().cpu().double().numpy()
                  for name, tensor in zip(names, tensors)}
            ctx.recorded = record(flow, at, states)
            ctx.names, ctx.frames = names, frames
            ctx.like = [(tensor.dtype, tensor.device) for tensor in tensors]
            positions = ctx.recorded.frames
            ctx.shape = positions.shape
            read = positions if frames else positions[-1]
            return torch.tensor(read, dtype=tensors[0].dtype, device=tensors[0].device)

        @staticmethod
        def backward(ctx: Any, cotangent: Any) -> Any:
            pushed = cotangent.detach().cpu().double().numpy()
            cotangents = pushed
            if not ctx.frames:
                cotangents = np.zeros(ctx.shape)
                cotangents[-1] = pushed
            start, mass, numbers, _ = ctx.recorded.backward(cotangents)
            found = {"start": start, "mass": mass, **numbers}
            return (None, None, None, None,
                    *(torch.tensor(found[name], dtype=dtype, device=device)
                      for name, (dtype, device) in zip(ctx.names, ctx.like)))

    _function = FlowFunction
    return _function


def torch_flow(flow: Flow, *, frames: bool = False, states: int = 512) -> Callable[..., Any]:
    """The flow as a function of tensors: ``positions = torch_flow(flow); x = positions(value=V, start=x0)``.

    Keywords are names of numbers as in ``murmur.gradient``; the others keep the values of the flow. The
    function returns the final positions (n, d), or with ``frames=True`` all frames (frames, n, d), and
    torch can differentiate it: ``loss(positions(value=V)).backward()`` fills ``V.grad``. The engine
    computes in double precision; the result has the type of the first tensor. Second derivatives are
    refused.
    """
    torch = import_torch()
    function = flow_function()
    names = list(numbers_of(flow))

    def positions_of(**tensors: Any) -> Any:
        if not tensors:
            raise InputError("no tensor was given", "torch_flow(flow)()", "give one of " + ", ".join(names))
        for name, tensor in tensors.items():
            if not isinstance(tensor, torch.Tensor):
                raise InputError(f"{name} is not a tensor", f"torch_flow(flow)({name}={tensor!r:.40})",
                                 "write torch.tensor(...)")
        full = tuple(find(names, name) for name in tensors)
        return function.apply(flow, frames, states, full, *tensors.values())

    return positions_of
