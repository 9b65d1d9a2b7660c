#!/usr/bin/env python3
"""Objects that no constructor has filled in, pickles and sizes beyond 2^31 raise errors of Python."""
import copy
import copyreg
import pickle
import unittest

import support
from support import Folder

import numpy as np

import murmur
from murmur import _core

CLASSES = [thing for thing in vars(_core).values()
           if isinstance(thing, type) and not issubclass(thing, BaseException)]
BAD = (TypeError, RuntimeError, ValueError, MemoryError, murmur.MurmurError)
HUGE = (2**31, 2**32 + 3, 2**40, 2**63, 2**70, -2**31 - 1, -2**70)


def filled():
    """One object of each class that has a constructor."""
    return [murmur.Swarm(np.eye(3)), murmur.Attention(beta=2.0),
            murmur.Perceptron(in_=np.eye(3), out=np.eye(3)),
            murmur.Dynamics(murmur.Attention(beta=1.0)), _core.Field(["n=4"]),
            _core.RunningFlow(["n=4", "T=1"]), _core.DifferentiableFlow(["n=4", "T=0.1", "method=rk4", "dt=0.1"])]


class Unfilled(Folder):
    def everything(self, make):
        """Each name of an object, read and called; each answer is an error of Python or harmless."""
        for name in dir(make()):
            if name in ("__class__", "__init__", "__new__", "__init_subclass__", "__subclasshook__",
                        "__dir__", "__doc__", "__delattr__", "__setattr__", "__getattribute__"):
                continue
            for arguments in ((), (make(),), (np.eye(3),), (0,), (["n=4"],)):
                try:
                    value = getattr(make(), name)
                    if callable(value):
                        value(*arguments)
                except (*BAD, AttributeError):
                    pass

    def test_every_name_of_every_class(self):
        self.assertGreaterEqual(len(CLASSES), 8)
        for cls in CLASSES:
            with self.subTest(cls.__name__):
                self.everything(lambda: cls.__new__(cls))

    def test_properties_and_methods_are_refused(self):
        for thing in filled():
            cls = type(thing)
            with self.subTest(cls.__name__):
                empty = cls.__new__(cls)
                with self.assertRaises(BAD):
                    repr(empty) if "__repr__" in vars(cls) else empty.n if hasattr(cls, "n") else empty.steps
        with self.assertRaises(TypeError):
            len(murmur.Swarm.__new__(murmur.Swarm))

    def test_as_arguments(self):
        for cls in CLASSES:
            empty = cls.__new__(cls)
            for call in (lambda: murmur.Dynamics(empty), lambda: murmur.velocity(empty),
                         lambda: murmur.Swarm(empty), lambda: murmur.simulate(n=3, init=empty),
                         lambda: murmur.Flow(dynamics=empty, n=3, T=1),
                         lambda: murmur.Field(n=3, dynamics=empty),
                         lambda: murmur.Attention(query=empty), lambda: murmur.Attention(beta=empty),
                         lambda: murmur.Field(n=3).velocity(out=empty),
                         lambda: murmur.Swarm(np.eye(3)).__array__(empty),
                         lambda: np.asarray(empty) + 1.0):
                with self.subTest(cls.__name__), self.assertRaises((*BAD, AttributeError)):
                    call()
        with self.assertRaises(BAD):
            murmur.Dynamics(murmur.Attention.__new__(murmur.Attention))

    def test_subclasses_without_init(self):
        class Mine(murmur.Attention):
            def __init__(self):
                pass
        with self.assertRaises(TypeError):
            Mine()
        self.everything(lambda: Mine.__new__(Mine))


class Pickles(Folder):
    def test_every_protocol_is_refused(self):
        for thing in filled():
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
                with self.subTest(type(thing).__name__, protocol=protocol):
                    with self.assertRaises(TypeError) as caught:
                        pickle.dumps(thing, protocol)
                    self.assertIn("pickle", str(caught.exception))
            for duplicate in (copy.copy, copy.deepcopy):
                with self.assertRaises(TypeError):
                    duplicate(thing)

    def test_what_a_pickle_of_others_makes(self):
        """Such as one of protocol 0 that an earlier version has written."""
        for cls in CLASSES:
            with self.subTest(cls.__name__):
                for base in (cls.__mro__[1], cls):
                    try:
                        empty = copyreg._reconstructor(cls, base, None)
                    except BAD:
                        continue
                    with self.assertRaises(BAD):
                        murmur.Dynamics(empty)
                text = b"cmurmur._core\n" + cls.__name__.encode() + b"\n(t\x81."
                try:
                    empty = pickle.loads(text)
                except TypeError:
                    continue
                with self.assertRaises(BAD):
                    murmur.Dynamics(empty)


class Sizes(Folder):
    def test_of_swarms(self):
        for many in HUGE:
            for words in ({"n": many, "d": 3}, {"n": 3, "d": many}, {"n": many, "d": many}):
                with self.subTest(words), self.assertRaises(BAD):
                    murmur.Swarm(**words)

    def test_of_parameters(self):
        for many in (2**31, 2**40, 2**70):
            for key, call in (("n", murmur.simulate), ("n", murmur.Flow), ("d", murmur.Field),
                              ("heads", murmur.Flow), ("replicas", murmur.sweep)):
                if key == "replicas" and many == 2**31:  # so many are allowed, and take long
                    continue
                with self.subTest(key, many=many, call=call.__name__):
                    with self.assertRaises(BAD):
                        call(**{key: many})

    def test_of_arguments(self):
        flow = murmur.Flow(n=3, T=0.1)
        for many in HUGE:
            for call in (lambda: flow.run(frames=many), lambda: flow.clusters(many),
                         lambda: flow.clusters(frame=many), lambda: flow.step(many)):
                with self.subTest(many):
                    try:
                        call()
                    except (*BAD, OverflowError, AttributeError, IndexError):
                        pass

    def test_of_arrays(self):
        """Axes of 2^31 and more that take no memory: all rows are the same one."""
        one = np.zeros(1)
        for rows in (2**31, 2**32 + 1, 2**40):
            for shape in ((rows, 1), (1, rows), (rows, 3)):
                huge = np.broadcast_to(one, shape)
                for call in (lambda: murmur.Attention(query=huge), lambda: murmur.Swarm(huge),
                             lambda: murmur.velocity(huge), lambda: murmur.simulate(init=huge),
                             lambda: murmur.Perceptron(in_=huge, out=huge),
                             lambda: murmur.Swarm(np.eye(3)).__class__(huge, copy=True)):
                    with self.subTest(shape), self.assertRaises(BAD):
                        call()
            with self.assertRaises(BAD):
                murmur.Dynamics(gain=np.broadcast_to(one, (rows,)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
