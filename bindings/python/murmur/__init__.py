"""Murmuration: transformers as swarms. Parameters are those of the program: ``murmur.simulate(beta=4)``.

    import murmur
    run = murmur.simulate(n=64, beta=4, T=5)
    run.x, run.t, run["clusters"]

Functions do the same as the commands of the program; ``murmur.parameters()`` lists their parameters.
"""
from ._core import Attention, Dynamics, Perceptron, Swarm
from ._core import version as __version__
from ._errors import (InputError, Interrupted, JobsError, MurmurError, NumericalError,
                      RuntimeFailure, ToolError, UsageError, VerificationError)
from ._flow import External, Flow
from ._functions import (Field, Parameter, Reading, classify, clusters, energy, landscape, meanfield,
                         measure, parameters, presets, readings, render, reproduce, runs, simulate,
                         sweep, trace, train, transport, velocity)
from ._gradient import Gradient, gradient
from ._run import Clusters, Run, Table
from ._torch import torch_flow

__all__ = [
    "Attention", "Clusters", "Dynamics", "External", "Field", "Flow", "Gradient", "InputError",
    "Interrupted", "JobsError", "MurmurError", "NumericalError", "Parameter", "Perceptron", "Reading",
    "Run", "RuntimeFailure", "Swarm", "Table", "ToolError", "UsageError", "VerificationError",
    "classify", "clusters", "energy", "gradient", "landscape", "meanfield", "measure", "parameters",
    "presets", "readings", "render", "reproduce", "runs", "simulate", "sweep", "torch_flow", "trace",
    "train", "transport", "velocity",
]
