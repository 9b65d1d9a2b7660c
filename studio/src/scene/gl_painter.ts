// gl_painter.ts: paints a scene with WebGL 2: one program per kind of layer; buffers are filled when a layer changes.
import {
  type BallLayer, type BoidLayer, fogOf, kHalo, kLeastHalo, type Layer, type LineLayer, type Look, type Painter,
  type Scene,
} from "./layers";

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

const boidVertex = kHead + /* glsl */ `
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

const boidFragment = kHead + /* glsl */ `
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

const lineVertex = kHead + kGamma + /* glsl */ `
in vec3 place;
in vec3 colour;           // linear light
out vec3 shade;
void main() {
  gl_Position = projection * view * vec4(place, 1.0);
  shade = gamma(colour);
}`;

const flatFragment = kHead + /* glsl */ `
uniform float opacity;
in vec3 shade;
out vec4 painted;
void main() {
  painted = vec4(shade, opacity);
}`;

/** One instance a piece: a strip of four corners along it, round at both ends. */
const strokeVertex = kHead + kGamma + /* glsl */ `
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

const strokeFragment = kHead + /* glsl */ `
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

const ballVertex = kHead + /* glsl */ `
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

const ballFragment = kHead + /* glsl */ `
uniform float opacity;
uniform vec4 fall;        // direction, and how fast the opacity falls off from it; 0: not at all
in vec3 shade;
in vec3 spot;
out vec4 painted;
void main() {
  painted = vec4(shade, opacity * exp(fall.w * (dot(normalize(spot), fall.xyz) - 1.0)));
}`;

type Gl = WebGL2RenderingContext;
type Value = number | readonly number[] | Float64Array;

/** A program, its attributes by name, and uniforms that are set by what they are: number, vector, matrix. */
class Program {
  private readonly program: WebGLProgram;
  private readonly uniforms = new Map<string, WebGLUniformLocation | null>();

  constructor(private readonly gl: Gl, vertex: string, fragment: string) {
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
      const shader = gl.createShader(kind)!;
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(this.program);
  }

  /** Null, or the error of the driver; the call waits for the compiler. */
  fault(): string | null {
    const { gl, program } = this;
    if (gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
    const shaders = gl.getAttachedShaders(program) ?? [];
    return [gl.getProgramInfoLog(program), ...shaders.map((shader) => gl.getShaderInfoLog(shader))].join(" ");
  }

  use(uniforms: Record<string, Value>): void {
    const { gl } = this;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(uniforms)) {
      if (!this.uniforms.has(name)) this.uniforms.set(name, gl.getUniformLocation(this.program, name));
      const at = this.uniforms.get(name)!;
      if (typeof value === "number") gl.uniform1f(at, value);
      else if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
      else if (value.length === 4) gl.uniform4fv(at, value);
      else if (value.length === 3) gl.uniform3fv(at, value);
      else gl.uniform2fv(at, value);
    }
  }

  attribute(name: string): number {
    return this.gl.getAttribLocation(this.program, name);
  }
}

/** One attribute of a program, out of a buffer: numbers each, their stride and offset. */
interface Stream {
  name: string;
  buffer: number; // which of the layer's buffers
  width: number;
  stride?: number; // floats
  offset?: number;
  instanced?: boolean;
}

const kBoids: Stream[] = [
  { name: "place", buffer: 0, width: 3 }, { name: "colour", buffer: 1, width: 3 },
  { name: "size", buffer: 2, width: 1 }, { name: "mark", buffer: 3, width: 1 },
];
const kLines: Stream[] = [{ name: "place", buffer: 0, width: 3 }, { name: "colour", buffer: 1, width: 3 }];
const kPiece = { width: 3, stride: 6, instanced: true };
const kStrokes: Stream[] = [
  { name: "start", buffer: 0, ...kPiece }, { name: "end", buffer: 0, offset: 3, ...kPiece },
  { name: "startColour", buffer: 1, ...kPiece }, { name: "endColour", buffer: 1, offset: 3, ...kPiece },
  { name: "corner", buffer: 2, width: 2 },
];
const kCorners = new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]);

/** Triangles of the unit sphere, (corners, 3), seen from outside anticlockwise. */
function sphere(around = 48, down = 32): Float32Array {
  const corners: number[] = [];
  const point = (i: number, j: number) => {
    const [a, p] = [(2 * Math.PI * i) / around, (Math.PI * j) / down];
    return [Math.sin(p) * Math.sin(a), Math.cos(p), Math.sin(p) * Math.cos(a)];
  };
  for (let j = 0; j < down; ++j) {
    for (let i = 0; i < around; ++i) {
      const [a, b, c, d] = [point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i + 1, j)];
      corners.push(...a, ...b, ...c, ...a, ...c, ...d);
    }
  }
  return new Float32Array(corners);
}

/** What a layer has on the graphics card. */
interface GpuLayer {
  version: number;
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
}

export class GlPainter implements Painter {
  readonly flat = false;
  private readonly gl: Gl;
  private programs!: { boids: Program; lines: Program; strokes: Program; ball: Program };
  private held = new Map<Layer, GpuLayer>();
  private globe: { array: WebGLVertexArrayObject; count: number } | null = null;
  private readonly off = new AbortController();

  /** Throws where there is no WebGL 2, or none that takes these programs. */
  constructor(readonly canvas: HTMLCanvasElement, onRestored: () => void = () => undefined) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("webgl2");
    this.gl = gl;
    this.begin();
    const { signal } = this.off;
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    canvas.addEventListener("webglcontextrestored", () => {
      this.begin();
      onRestored();
    }, { signal });
  }

  /** Everything that a context holds; again after one was lost. */
  private begin(): void {
    const { gl } = this;
    this.held = new Map();
    this.globe = null;
    this.programs = {
      boids: new Program(gl, boidVertex, boidFragment),
      lines: new Program(gl, lineVertex, flatFragment),
      strokes: new Program(gl, strokeVertex, strokeFragment),
      ball: new Program(gl, ballVertex, ballFragment),
    };
    const fault = gl.isContextLost() ? null : this.programs.boids.fault();
    if (fault !== null) throw new Error(fault);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.CULL_FACE);
  }

  paint(scene: Scene, look: Look): void {
    const { gl } = this;
    if (gl.isContextLost()) return;
    gl.viewport(0, 0, look.width, look.height);
    gl.depthMask(true);
    gl.clearColor(...look.paper, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const layers = scene.inOrder();
    this.forget(layers);
    const { camera } = look;
    const eye = { view: camera.view.elements, projection: camera.projectionMatrix.elements };
    for (const layer of layers) {
      if (layer.kind === "ball") this.ball(layer, eye);
      else if (layer.count === 0) continue;
      else if (layer.kind === "boids") this.boids(layer, eye, look);
      else if (layer.width === 0) this.lines(layer, eye);
      else this.strokes(layer, eye, look);
    }
    gl.bindVertexArray(null);
  }

  private boids(layer: BoidLayer, eye: Record<string, Value>, look: Look): void {
    const { gl } = this;
    const { opacity } = layer;
    this.programs.boids.use({
      ...eye, pixels: look.height, radius: look.radius, opacity, paper: look.paper, ring: look.ink, fog: fogOf(look),
      halo: kHalo, least: kLeastHalo * look.ratio,
    });
    this.bind(layer, this.programs.boids, kBoids, [layer.places, layer.colours, layer.sizes, layer.marks]);
    gl.depthMask(opacity >= 1);
    gl.drawArrays(gl.POINTS, 0, layer.count);
  }

  private lines(layer: LineLayer, eye: Record<string, Value>): void {
    const { gl } = this;
    this.programs.lines.use({ ...eye, opacity: layer.opacity });
    this.bind(layer, this.programs.lines, kLines, [layer.points, layer.colours]);
    gl.depthMask(false);
    gl.drawArrays(gl.LINES, 0, 2 * layer.count);
  }

  private strokes(layer: LineLayer, eye: Record<string, Value>, look: Look): void {
    const { gl } = this;
    const { width, height, ratio, camera } = look;
    this.programs.strokes.use({
      ...eye, opacity: layer.opacity, size: [width, height], width: ratio * layer.width, near: camera.near,
    });
    this.bind(layer, this.programs.strokes, kStrokes, [layer.points, layer.colours, kCorners]);
    gl.depthMask(false);
    gl.disable(gl.CULL_FACE);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, layer.count);
    gl.enable(gl.CULL_FACE);
  }

  private ball(layer: BallLayer, eye: Record<string, Value>): void {
    const { gl } = this;
    const { place, radius, colour, opacity, fall } = layer;
    const ball = [place[0], place[1], place[2], radius];
    this.programs.ball.use({ ...eye, ball, colour, opacity, fall: fall ?? [0, 0, 0, 0] });
    this.globe ??= this.makeGlobe();
    gl.bindVertexArray(this.globe.array);
    gl.depthMask(false);
    if (layer.above) gl.disable(gl.DEPTH_TEST);
    if (fall) gl.disable(gl.CULL_FACE); // its far side is seen through it
    gl.drawArrays(gl.TRIANGLES, 0, this.globe.count);
    gl.enable(gl.CULL_FACE);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    if (layer.above) gl.clear(gl.DEPTH_BUFFER_BIT);
  }

  private makeGlobe(): { array: WebGLVertexArrayObject; count: number } {
    const { gl } = this;
    const corners = sphere();
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, corners, gl.STATIC_DRAW);
    const at = this.programs.ball.attribute("place");
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
    return { array, count: corners.length / 3 };
  }

  /** Binds a layer's buffers, which are filled where the layer is another than they hold. */
  private bind(layer: Layer, program: Program, streams: Stream[], arrays: Float32Array[]): void {
    const { gl } = this;
    let held = this.held.get(layer);
    if (!held) {
      held = { version: -1, array: gl.createVertexArray(), buffers: arrays.map(() => gl.createBuffer()) };
      this.held.set(layer, held);
      gl.bindVertexArray(held.array);
      for (const { name, buffer, width, stride = 0, offset = 0, instanced } of streams) {
        const at = program.attribute(name);
        gl.bindBuffer(gl.ARRAY_BUFFER, held.buffers[buffer]);
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, width, gl.FLOAT, false, 4 * stride, 4 * offset);
        if (instanced) gl.vertexAttribDivisor(at, 1);
      }
    } else gl.bindVertexArray(held.array);
    if (held.version === layer.version) return;
    held.version = layer.version;
    const used = layer.kind === "ball" ? 0 : layer.count;
    arrays.forEach((array, k) => {
      const each = array === kCorners ? array.length : used * floatsOf(layer, k);
      gl.bindBuffer(gl.ARRAY_BUFFER, held.buffers[k]);
      gl.bufferData(gl.ARRAY_BUFFER, array.subarray(0, each), gl.DYNAMIC_DRAW);
    });
  }

  /** Lets go of what layers held that are gone. */
  private forget(layers: readonly Layer[]): void {
    if (this.held.size === 0) return;
    const here = new Set(layers);
    for (const [layer, held] of this.held) {
      if (here.has(layer)) continue;
      for (const buffer of held.buffers) this.gl.deleteBuffer(buffer);
      this.gl.deleteVertexArray(held.array);
      this.held.delete(layer);
    }
  }

  dispose(): void {
    this.off.abort();
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

/** Floats of one boid, or of one piece, in a layer's buffer. */
function floatsOf(layer: Layer, buffer: number): number {
  if (layer.kind !== "boids") return 6;
  return buffer < 2 ? 3 : 1;
}
