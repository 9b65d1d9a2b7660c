// shaders.ts: shaders: tokens as sphere impostors, one point each, with the normal computed on the disc; lines, thick lines, balls.

const kHead = `#version 300 es
precision highp float;
uniform mat4 view;
uniform mat4 projection;
`;

/** Linear light -> sRGB, of a colour. */
const kGamma = /* glsl */ `
vec3 gamma(vec3 c) {
  return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}`;

export const boidVertex = kHead + /* glsl */ `
uniform float pixels;     // height of the picture in device pixels
uniform float radius;     // of a boid of size 1, in the scene's units
in vec3 place;
in vec3 colour;
in float size;            // 0 hides
in float mark;            // 0 none, 1 ringed, 2 with a ring around it
uniform float halo;       // a ring around a boid: its radius in the boid's
uniform float least;      // and the least width of it, in device pixels
out vec3 shade;
out float marked;
out float depth;
void main() {
  vec4 eye = view * vec4(place, 1.0);
  gl_Position = projection * eye;
  float wide = max(2.0, pixels * projection[1][1] * radius * size / gl_Position.w);
  if (mark > 1.5) wide = max(least, halo * wide);
  gl_PointSize = size <= 0.0 ? 0.0 : wide;
  if (size <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  shade = colour;
  marked = mark;
  depth = -eye.z;
}`;

export const boidFragment = kHead + /* glsl */ `
uniform float opacity;
uniform vec3 paper;       // what distance fades to
uniform vec2 fog;         // where fading begins and ends
uniform vec3 ring;
uniform float halo;
in vec3 shade;
in float marked;
in float depth;
out vec4 painted;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float r = length(p);
  float thin = max(fwidth(r), 1e-4);                // one pixel
  float reach = marked > 1.5 ? 1.0 / halo : 1.0;    // of the boid itself, in the point's radius
  float r2 = min(1.0, r * r / (reach * reach));
  vec3 normal = vec3(p.x / reach, -p.y / reach, sqrt(1.0 - r2));
  float light = 0.62 + 0.38 * max(0.0, dot(normal, normalize(vec3(-0.4, 0.7, 0.6))));
  float gleam = pow(max(0.0, dot(normal, normalize(vec3(-0.3, 0.6, 0.9)))), 24.0);
  vec3 lit = shade * light + 0.25 * gleam;
  if (marked > 0.5 && marked < 1.5 && r2 > 0.55) lit = ring;
  float disc = clamp((reach - r) / thin, 0.0, 1.0);
  float rim = marked > 1.5 ? clamp((r - 0.78) / thin, 0.0, 1.0) * clamp((1.0 - r) / thin, 0.0, 1.0) : 0.0;
  if (max(disc, rim) <= 0.0) discard;
  if (rim > disc) lit = ring;
  float far = clamp((depth - fog.x) / max(1e-6, fog.y - fog.x), 0.0, 1.0);
  painted = vec4(mix(lit, paper, (rim > disc ? 0.4 : 0.7) * far), opacity * max(disc, rim));
}`;

export const lineVertex = kHead + kGamma + /* glsl */ `
in vec3 place;
in vec3 colour;           // linear light
out vec3 shade;
void main() {
  gl_Position = projection * view * vec4(place, 1.0);
  shade = gamma(colour);
}`;

export const flatFragment = kHead + /* glsl */ `
uniform float opacity;
in vec3 shade;
out vec4 painted;
void main() {
  painted = vec4(shade, opacity);
}`;

/** One instance a piece: a strip of four corners along it, round at both ends. */
export const strokeVertex = kHead + kGamma + /* glsl */ `
uniform vec2 size;        // of the picture in device pixels
uniform float width;      // device pixels
uniform float near;
in vec2 corner;           // (0 or 1 along, -1 or 1 across)
in vec3 start;
in vec3 end;
in vec3 startColour;      // linear light
in vec3 endColour;
out vec3 shade;
out vec4 where;           // along, across, length, 1: each times w, so that they are linear on the picture
void main() {
  vec4 a = view * vec4(start, 1.0);
  vec4 b = view * vec4(end, 1.0);
  if (a.z > -near && b.z < -near) a = mix(a, b, (a.z + near) / (a.z - b.z));
  else if (b.z > -near && a.z < -near) b = mix(b, a, (b.z + near) / (b.z - a.z));
  vec4 from = projection * a;
  vec4 to = projection * b;
  vec2 way = 0.5 * size * (to.xy / to.w - from.xy / from.w);
  float far = length(way);
  vec2 forth = far > 1e-6 ? way / far : vec2(1.0, 0.0);
  vec2 side = vec2(-forth.y, forth.x);
  float room = 0.5 * width + 1.0;
  bool first = corner.x < 0.5;
  vec4 at = first ? from : to;
  vec2 off = side * corner.y * room + forth * (first ? -room : room);
  at.xy += off / (0.5 * size) * at.w;
  gl_Position = at;
  shade = gamma(first ? startColour : endColour);
  where = at.w * vec4(first ? -room : far + room, corner.y * room, far, 1.0);
}`;

export const strokeFragment = kHead + /* glsl */ `
uniform float opacity;
uniform float width;
in vec3 shade;
in vec4 where;
out vec4 painted;
void main() {
  vec3 at = where.xyz / where.w;
  float beyond = max(0.0, max(-at.x, at.x - at.z));
  float edge = clamp(0.5 * width + 0.5 - length(vec2(beyond, at.y)), 0.0, 1.0);
  if (edge <= 0.0) discard;
  painted = vec4(shade, opacity * edge);
}`;

export const ballVertex = kHead + /* glsl */ `
uniform vec4 ball;        // middle and radius
uniform vec3 colour;      // sRGB
in vec3 place;            // on the unit sphere
out vec3 shade;
out vec3 spot;
void main() {
  gl_Position = projection * view * vec4(ball.xyz + ball.w * place, 1.0);
  shade = colour;
  spot = place;
}`;

export const ballFragment = kHead + /* glsl */ `
uniform float opacity;
uniform vec4 fall;        // direction, and how fast the opacity falls off from it; 0: not at all
in vec3 shade;
in vec3 spot;
out vec4 painted;
void main() {
  painted = vec4(shade, opacity * exp(fall.w * (dot(normalize(spot), fall.xyz) - 1.0)));
}`;
