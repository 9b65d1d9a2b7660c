// facade.h: the whole core behind five C functions: a request goes in, text and arrays come out.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// One request: JSON text {"do": NAME, ...} and the bytes that belong to it, which may be none.
// Returns 0, or the number of the fault (murmur::Fault); the reply's text is then
// {"fault", "what", "where", "remedy"}, with "gone": true where the flight or the trained swarm
// that it names is not there. A reply stays until the next request.
int murmur_ask(const char* request, const void* bytes, int size);

const char* murmur_text(void);        // of the reply: JSON
int murmur_arrays(void);              // how many arrays it has
const void* murmur_array(int index);  // where one begins
int murmur_array_bytes(int index);    // and how long it is

#ifdef __cplusplus
}
#endif
