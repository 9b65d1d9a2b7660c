// gl_painter.ts: paints a scene with WebGL 2: one program per kind of layer; buffers are filled when a layer changes.
import type { BallLayer, BoidLayer, Layer, LineLayer, Scene } from "./layers";
import { fogOf, kHalo, kLeastHalo, type Look, type Painter } from "./painter";
import {
  ballFragment, ballVertex, boidFragment, boidVertex, flatFragment, lineVertex, strokeFragment, strokeVertex,
} from "./shaders";

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

  /** Null, or what the driver says against it; asking waits for the compiler. */
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

/** One attribute of a program, out of a buffer: numbers each, and how far apart and from where they stand there. */
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
interface Held {
  version: number;
  array: WebGLVertexArrayObject;
  buffers: WebGLBuffer[];
}

export class GlPainter implements Painter {
  readonly flat = false;
  private readonly gl: Gl;
  private programs!: { boids: Program; lines: Program; strokes: Program; ball: Program };
  private held = new Map<Layer, Held>();
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
