// request.cpp: the C functions of facade.h, which turn exceptions into replies.
#include "request.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "facade.h"
#include "murmur/recording.h"

namespace murmur::facade {

int whole(const Json& object, const char* key) {
  const Json& value = object.at(key);
  constexpr double kGreatest = std::numeric_limits<int>::max();
  if (const double number = value.is_number() ? value.get<double>() : 0.5;
      number == std::floor(number) && std::abs(number) <= kGreatest)
    return static_cast<int>(number);
  throw Error(Fault::usage, fmt::format("{} is not a whole number", key), value.dump(),
              "give one between -2147483647 and 2147483647");
}

namespace {

Reply& last_reply() {
  static Reply instance;
  return instance;
}

std::string& last_text() {
  static std::string instance;
  return instance;
}

Json refusal(Fault fault, const std::string& what, const std::string& where,
             const std::string& remedy) {
  return {{"fault", static_cast<int>(fault)}, {"what", what}, {"where", where}, {"remedy", remedy}};
}

// Stores the refusal as the reply and returns the number of the fault.
int refuse(const Json& text) {
  last_reply() = {text, {}};
  last_text() = text.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.at("fault");
}

Json refusal(const Error& error) {
  constexpr std::string_view kShell = "command line: ";  // the page has no command line
  const bool shell = error.where.rfind(kShell, 0) == 0;
  return refusal(error.fault, error.summary,
                 shell ? error.where.substr(kShell.size()) : error.where, error.remedy);
}

}  // namespace

}  // namespace murmur::facade

extern "C" {

int murmur_ask(const char* request, const void* bytes, int size) {
  using namespace murmur;
  using namespace murmur::facade;
  try {
    const Json words = Json::parse(request);
    Reply reply;
    answer({words, {static_cast<const std::byte*>(bytes), static_cast<std::size_t>(size)}}, reply);
    last_text() = reply.text.dump(-1, ' ', false, Json::error_handler_t::replace);
    last_reply() = std::move(reply);
    return 0;
  } catch (const ClosedHandle& error) {
    Json text = refusal(error);
    text["gone"] = true;
    return refuse(text);
  } catch (const TooManyFrames& error) {
    Json text = refusal(error);
    text["frames"] = error.frames;
    text["n"] = error.shape.n;
    text["d"] = error.shape.d;
    return refuse(text);
  } catch (const Error& error) {
    return refuse(refusal(error));
  } catch (const Json::exception& error) {
    return refuse(refusal(Fault::usage, "the request is malformed", error.what(),
                          "check its names and types"));
  } catch (const std::bad_alloc&) {
    return refuse(refusal(Fault::runtime, "there is not enough memory", "",
                          "use fewer particles, coordinates or frames"));
  } catch (const std::exception& error) {
    return refuse(refusal(Fault::runtime, "an unexpected error occurred", error.what(),
                          "try other settings"));
  }
}

const char* murmur_text(void) { return murmur::facade::last_text().c_str(); }

int murmur_arrays(void) { return static_cast<int>(murmur::facade::last_reply().arrays.size()); }

const void* murmur_array(int index) {
  return murmur::facade::last_reply().arrays.at(static_cast<std::size_t>(index)).data();
}

int murmur_array_bytes(int index) {
  return static_cast<int>(
      murmur::facade::last_reply().arrays.at(static_cast<std::size_t>(index)).size());
}

}  // extern "C"
