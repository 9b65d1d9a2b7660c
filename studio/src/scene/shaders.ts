// shaders.ts: boids as sphere impostors: one point each, its normal read off the point's disc.

export const boidVertex = /* glsl */ `
uniform float pixels;     // height of the canvas in device pixels
uniform float radius;     // of a boid of size 1, in the scene's units
attribute vec3 colour;
attribute float size;     // 0 hides
attribute float mark;     // 0 none, 1 ringed
varying vec3 shade;
varying float marked;
varying float depth;
void main() {
  vec4 eye = modelViewMatrix * vec4(position, 1.0);
  gl_Position = projectionMatrix * eye;
  gl_PointSize = size <= 0.0 ? 0.0
      : max(2.0, pixels * projectionMatrix[1][1] * radius * size / gl_Position.w);
  shade = colour;
  marked = mark;
  depth = -eye.z;
}`;

export const boidFragment = /* glsl */ `
uniform float opacity;
uniform vec3 paper;       // what distance fades to
uniform vec2 fog;         // where fading begins and ends
uniform vec3 ring;
varying vec3 shade;
varying float marked;
varying float depth;
void main() {
  vec2 p = 2.0 * gl_PointCoord - 1.0;
  float r2 = dot(p, p);
  if (r2 > 1.0) discard;
  vec3 normal = vec3(p.x, -p.y, sqrt(1.0 - r2));
  float light = 0.62 + 0.38 * max(0.0, dot(normal, normalize(vec3(-0.4, 0.7, 0.6))));
  float gleam = pow(max(0.0, dot(normal, normalize(vec3(-0.3, 0.6, 0.9)))), 24.0);
  vec3 lit = shade * light + 0.25 * gleam;
  if (marked > 0.5 && r2 > 0.55) lit = ring;
  float soft = max(fwidth(r2), 1e-4);  // one pixel at the edge of the disc
  float far = clamp((depth - fog.x) / max(1e-6, fog.y - fog.x), 0.0, 1.0);
  gl_FragColor = vec4(mix(lit, paper, 0.7 * far), opacity * clamp((1.0 - r2) / soft, 0.0, 1.0));
}`;
