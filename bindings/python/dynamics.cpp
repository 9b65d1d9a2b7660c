// dynamics.cpp: Attention, Perceptron, ManyHeads and Dynamics as objects of Python that print as
// their equations.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "python.h"

namespace murmur::python {

namespace {

// The value of an enumeration with this name.
template <class Enum>
Enum value_of(const std::string& word, const std::string& where) {
  std::vector<std::string> known;
  for (int k = 0; *word_of(static_cast<Enum>(k)) != '\0'; ++k) {
    known.emplace_back(word_of(static_cast<Enum>(k)));
    if (word == known.back()) return static_cast<Enum>(k);
  }
  const std::string near = did_you_mean(word, known);
  std::string list;
  for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
  refuse("there is no such value: '" + word + "'", where,
         near.empty() ? "use one of " + list : "did you mean " + near + "?");
}

std::string text_of(double value) { return py::repr(py::float_(value)); }
std::string shape_text(const char* name, const Matrix& m) {
  if (m.empty()) return "";
  return std::string(", ") + name + "=(" + std::to_string(m.rows) + ", " + std::to_string(m.cols) +
         ")";
}

Attention attention_of(const py::kwargs& given) {
  Keywords of("Attention", given);
  Attention a;
  a.beta = of.number("beta", a.beta);
  a.query = of.matrix("query");
  a.key = of.matrix("key");
  a.value = of.matrix("value");
  a.query_bias = of.vector("query_bias");
  a.key_bias = of.vector("key_bias");
  a.value_bias = of.vector("value_bias");
  a.relative = of.flag("relative", a.relative);
  a.self = of.flag("self", a.self);
  a.mask = value_of<Attention::Mask>(of.word("mask", "none"), of.where("mask"));
  a.weighting =
      value_of<Attention::Weighting>(of.word("weighting", "softmax"), of.where("weighting"));
  a.alibi = of.number("alibi", a.alibi);
  a.rescaled = of.flag("rescaled", a.rescaled);
  of.finish();
  return a;
}

Perceptron perceptron_of(const py::kwargs& given) {
  Keywords of("Perceptron", given);
  Perceptron p;
  p.in = of.matrix("in_");
  p.in_bias = of.vector("in_bias");
  p.out = of.matrix("out");
  p.out_bias = of.vector("out_bias");
  p.activation =
      value_of<Perceptron::Activation>(of.word("activation", "relu"), of.where("activation"));
  of.finish();
  if (p.in.empty() || p.out.empty() || p.out.cols != p.in.rows || p.out.rows != p.in.cols)
    refuse("a perceptron has two matrices that fit each other", "Perceptron(in_=..., out=...)",
           "give in_ of shape (h, d) and out of shape (d, h)");
  return p;
}

// Consecutive forces of one kind form a sublayer.
void add_forces(const py::handle& forces, std::vector<Sublayer>& sublayers) {
  for (const py::handle force : forces) {
    Force one;
    if (py::isinstance<Attention>(force))
      one = force.cast<Attention>();
    else if (py::isinstance<Perceptron>(force))
      one = force.cast<Perceptron>();
    else
      refuse("this is not a force: " + std::string(py::repr(force)), "Dynamics(forces...)",
             "give Attention and Perceptron; External goes to simulate and Flow");
    if (sublayers.empty() || sublayers.back().forces.empty() ||
        sublayers.back().forces.back().index() != one.index())
      sublayers.push_back({});
    sublayers.back().forces.push_back(std::move(one));
  }
}

void set_normalisation(const std::string& word, const std::string& where, Dynamics& dynamics) {
  const std::size_t colon = word.find(':');
  const std::string name = word.substr(0, colon);
  for (const LayerNormRow& row : layer_norms()) {
    if (name != row.name) continue;
    dynamics.normalisation = row.norm;
    const bool takes = row.argument != LayerNormRow::none;
    if (colon == std::string::npos) return;
    if (!takes) refuse(name + " takes no number", where, "write normalisation='" + name + "'");
    double number = 0;
    const char* const end = word.data() + word.size();
    const auto [at, fault] = std::from_chars(word.data() + colon + 1, end, number);
    if (fault != std::errc() || at != end || !std::isfinite(number) || number < 0)
      refuse("'" + word.substr(colon + 1) + "' is not a number of 0 or above", where,
             "write normalisation='" + name + ":2'");
    (row.argument == LayerNormRow::time ? dynamics.mix_until : dynamics.speed) = number;
    return;
  }
  std::vector<std::string> known;
  for (const LayerNormRow& row : layer_norms()) known.emplace_back(row.name);
  const std::string near = did_you_mean(name, known);
  refuse("there is no normalisation '" + name + "'", where,
         near.empty() ? "see murmur.parameters()" : "did you mean " + near + "?");
}

Dynamics dynamics_of(const py::args& forces, const py::kwargs& given) {
  Keywords of("Dynamics", given);
  Dynamics dynamics;
  add_forces(forces, dynamics.sublayers);
  const py::object sublayers = of.take("sublayers");
  if (!sublayers.is_none())
    for (const py::handle each : sublayers) {
      std::vector<Sublayer> one;
      add_forces(each, one);
      Sublayer joined;
      for (Sublayer& part : one)
        std::move(part.forces.begin(), part.forces.end(), std::back_inserter(joined.forces));
      dynamics.sublayers.push_back(std::move(joined));
    }
  dynamics.manifold = value_of<Manifold>(of.word("manifold", "sphere"), of.where("manifold"));
  dynamics.clock = value_of<Clock>(of.word("clock", "U1"), of.where("clock"));
  set_normalisation(of.word("normalisation", "post"), of.where("normalisation"), dynamics);
  dynamics.gain = of.vector("gain");
  dynamics.gain_end = of.vector("gain_end");
  dynamics.gain_until = of.number("gain_until", 0);
  dynamics.noise = of.number("noise", 0);
  of.finish();
  if (dynamics.sublayers.empty()) dynamics.sublayers.push_back({});
  if (moves_norms(dynamics)) dynamics.manifold = Manifold::space;
  return dynamics;
}

// The equation of a single force in R^d.
std::string equation_of(Force force) {
  Dynamics alone;
  alone.manifold = Manifold::space;
  alone.sublayers.push_back({{std::move(force)}});
  return equation_text(alone);
}

std::string repr_of(const Attention& a) {
  std::string text = "Attention(beta=" + text_of(a.beta);
  text += shape_text("query", a.query) + shape_text("key", a.key) + shape_text("value", a.value);
  if (a.mask != Attention::none) text += std::string(", mask='") + word_of(a.mask) + "'";
  if (a.weighting != Attention::softmax)
    text += std::string(", weighting='") + word_of(a.weighting) + "'";
  if (a.relative) text += ", relative=True";
  if (!a.self) text += ", self=False";
  if (a.alibi != 0) text += ", alibi=" + text_of(a.alibi);
  if (a.rescaled) text += ", rescaled=True";
  return text + ")";
}

std::string repr_of(const Perceptron& p) {
  return "Perceptron(in_=(" + std::to_string(p.in.rows) + ", " + std::to_string(p.in.cols) +
         "), out=(" + std::to_string(p.out.rows) + ", " + std::to_string(p.out.cols) +
         "), activation='" + word_of(p.activation) + "')";
}

py::list forces_of(const Dynamics& dynamics) {
  py::list all;
  for (const Sublayer& sublayer : dynamics.sublayers)
    for (const Force& force : sublayer.forces)
      std::visit([&](const auto& one) { all.append(py::cast(one)); }, force);
  return all;
}

std::string repr_of(const Dynamics& dynamics) {
  std::string text = "Dynamics(";
  for (const py::handle force : forces_of(dynamics)) text += std::string(py::repr(force)) + ", ";
  text += std::string("manifold='") + word_of(dynamics.manifold) + "'";
  if (dynamics.clock != Clock::u1) text += std::string(", clock='") + word_of(dynamics.clock) + "'";
  if (dynamics.normalisation != LayerNorm::post)
    text += std::string(", normalisation='") + row_of(dynamics.normalisation).name + "'";
  if (dynamics.noise != 0) text += ", noise=" + text_of(dynamics.noise);
  return text + ")";
}

// A property that is a view of a member; the object is immutable.
template <class Owner, class Member>
auto view(Member Owner::*member) {
  return [member](const py::object& self) -> py::object {
    const Member& value = self.cast<const Owner&>().*member;
    return value.empty() ? py::none() : py::object(view_of(value, self));
  };
}

// The keyword arguments that create an equal object.
template <class Type>
py::kwargs keywords_of(const py::object& self);

template <>
py::kwargs keywords_of<Attention>(const py::object& self) {
  py::dict all;
  for (const char* name : {"beta", "query", "key", "value", "query_bias", "key_bias", "value_bias",
                           "relative", "self", "mask", "weighting", "alibi", "rescaled"})
    all[name] = self.attr(name);
  return py::kwargs(all);
}

template <>
py::kwargs keywords_of<Perceptron>(const py::object& self) {
  py::dict all;
  for (const char* name : {"in_", "in_bias", "out", "out_bias", "activation"})
    all[name] = self.attr(name);
  return py::kwargs(all);
}

// Adds replace() and ==, as dataclasses have them.
template <class Type, class Class>
void like_a_dataclass(Class& bound, Type (*make)(const py::kwargs&)) {
  bound.def("replace", [make](const py::object& self, const py::kwargs& changes) {
    py::kwargs all = keywords_of<Type>(self);
    for (const auto& [name, value] : changes) all[name] = value;
    return make(all);
  });
  bound.def("__eq__", [](const py::object& self, const py::object& other) -> py::object {
    if (!py::isinstance<Type>(other)) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
    const py::object same = py::module_::import("numpy").attr("array_equal");
    const py::kwargs theirs = keywords_of<Type>(other);
    for (const auto& [name, value] : keywords_of<Type>(self)) {
      const py::object other_value = theirs[name];
      if (value.is_none() != other_value.is_none()) return py::bool_(false);
      if (!value.is_none() && !same(value, other_value).template cast<bool>())
        return py::bool_(false);
    }
    return py::bool_(true);
  });
  bound.attr("__hash__") = py::none();
}

template <class Class>
Class& printable(Class& bound) {
  bound.def("_repr_pretty_", [](const py::object& self, const py::object& printer, bool) {
    printer.attr("text")(py::str(self));
  });
  return bound;
}

}  // namespace

void bind_dynamics(py::module_& m) {
  py::class_<Attention> attention(m, "Attention");
  attention.def(py::init(&attention_of))
      .def_readonly("beta", &Attention::beta)
      .def_property_readonly("query", view(&Attention::query))
      .def_property_readonly("key", view(&Attention::key))
      .def_property_readonly("value", view(&Attention::value))
      .def_property_readonly("query_bias", view(&Attention::query_bias))
      .def_property_readonly("key_bias", view(&Attention::key_bias))
      .def_property_readonly("value_bias", view(&Attention::value_bias))
      .def_readonly("relative", &Attention::relative)
      .def_readonly("self", &Attention::self)
      .def_property_readonly("mask", [](const Attention& a) { return word_of(a.mask); })
      .def_property_readonly("weighting", [](const Attention& a) { return word_of(a.weighting); })
      .def_readonly("alibi", &Attention::alibi)
      .def_readonly("rescaled", &Attention::rescaled)
      .def("__str__", [](const Attention& a) { return equation_of(a); })
      .def("__repr__", [](const Attention& a) { return repr_of(a); });
  printable(attention);
  refuse_pickling(attention);
  like_a_dataclass<Attention>(attention, &attention_of);

  py::class_<Perceptron> perceptron(m, "Perceptron");
  perceptron.def(py::init(&perceptron_of))
      .def_property_readonly("in_", view(&Perceptron::in))
      .def_property_readonly("in_bias", view(&Perceptron::in_bias))
      .def_property_readonly("out", view(&Perceptron::out))
      .def_property_readonly("out_bias", view(&Perceptron::out_bias))
      .def_property_readonly("activation",
                             [](const Perceptron& p) { return word_of(p.activation); })
      .def("__str__", [](const Perceptron& p) { return equation_of(p); })
      .def("__repr__", [](const Perceptron& p) { return repr_of(p); });
  printable(perceptron);
  refuse_pickling(perceptron);
  like_a_dataclass<Perceptron>(perceptron, &perceptron_of);

  py::class_<ManyHeads> many(m, "ManyHeads");
  many.def_readonly("beta", &ManyHeads::beta)
      .def_readonly("value", &ManyHeads::value)
      .def("__str__", [](const ManyHeads& h) { return equation_of(h); });
  printable(many);
  refuse_pickling(many);

  py::class_<Dynamics> dynamics(m, "Dynamics");
  dynamics.def(py::init(&dynamics_of))
      .def_property_readonly("forces", &forces_of)
      .def_property_readonly("manifold", [](const Dynamics& d) { return word_of(d.manifold); })
      .def_property_readonly("clock", [](const Dynamics& d) { return word_of(d.clock); })
      .def_property_readonly("normalisation",
                             [](const Dynamics& d) { return row_of(d.normalisation).name; })
      .def_readonly("noise", &Dynamics::noise)
      .def_property_readonly("gain", view(&Dynamics::gain))
      .def_property_readonly("gain_end", view(&Dynamics::gain_end))
      .def_readonly("gain_until", &Dynamics::gain_until)
      .def_property_readonly("observables", [](const Dynamics& d) { return observable_names(d); })
      .def("__str__", [](const Dynamics& d) { return equation_text(d); })
      .def("__repr__", [](const Dynamics& d) { return repr_of(d); });
  printable(dynamics);
  refuse_pickling(dynamics);
}

}  // namespace murmur::python
