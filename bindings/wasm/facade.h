// facade.h: a core of the page as five C functions: a request goes in, text and arrays come out.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// Answers one request: JSON text {"do": NAME, ...} and its bytes, if any. Returns 0, or the number
// of the fault (murmur::Fault); the text of the reply is then {"fault", "what", "where", "remedy"},
// with "gone": true if the simulation or trained swarm does not exist, and with "frames", "n" and
// "d" of a simulation that is too large. A reply stays until the next request.
int murmur_ask(const char* request, const void* bytes, int size);

const char* murmur_text(void);        // of the reply: JSON
int murmur_arrays(void);              // how many arrays it has
const void* murmur_array(int index);  // address of an array
int murmur_array_bytes(int index);    // and its length

#ifdef __cplusplus
}
#endif
