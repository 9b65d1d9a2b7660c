// stage.ts: the three-dimensional scene: boids, trails, arrows, habitat, camera, picking.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { drawBackdrop, type Backdrop } from "./backdrop";
import { boidFragment, boidVertex } from "./shaders";
import { Sight } from "./sight";

export type { Backdrop };

/** What a layer of boids looks like; arrays are read when shown and may be reused. */
export interface Boids {
  positions: Float32Array; // (n, 3)
  colours: Float32Array; // (n, 3) 0 to 1
  sizes?: Float32Array; // (n); 1 when left out
  marks?: Float32Array; // (n) 1: ringed
  opacity?: number;
  order?: number; // drawn after layers of a lower one; 0 when left out
}

/** Straight pieces, each with its colour: trails, arrows, frames, streamlines. */
export interface Lines {
  points: Float32Array; // (pieces, 2, 3)
  colours: Float32Array; // (pieces, 2, 3)
  opacity?: number;
  order?: number;
}

export interface Label {
  text: string;
  place: [number, number, number];
  kind?: "gate" | "axis" | "token" | "vote" | "badge" | "asking" | "mass" | "leader";
}

export interface StageOptions {
  backdrop: Backdrop;
  /** Half the width of what is to be seen. */
  extent: number;
  /** Radius of a boid of size 1. */
  radius: number;
  /** Where the camera stands, in multiples of the extent. */
  eye?: [number, number, number];
  /** Flat scenes look straight on and do not turn. */
  flat?: boolean;
}

interface Palette {
  paper: THREE.Color;
  line: THREE.Color;
  ink: THREE.Color;
}

/** A stage on a canvas. Throws when there is no WebGL. Labels go into `overlay`, above the canvas. */
export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
  private readonly renderer: THREE.WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly layers = new Map<string, THREE.Points>();
  private readonly lineLayers = new Map<string, THREE.LineSegments>();
  private readonly backdrop = new THREE.Group();
  private labels: { label: Label; element: HTMLElement }[] = [];
  private options: StageOptions;
  private palette: Palette;
  private ones = new Float32Array(0); // sizes and marks of layers that have none
  private zeros = new Float32Array(0);
  private readonly spare = new THREE.Vector3();
  private readonly sight: Sight;
  private dirty = true;

  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly overlay: HTMLElement,
    options: StageOptions,
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.sight = new Sight(this.camera, this.controls.target);
    this.controls.addEventListener("change", () => (this.dirty = true));
    this.scene.add(this.backdrop);
    this.options = options;
    this.palette = this.readPalette();
    this.arrange(options);
  }

  /** Colours of the page: --paper, --line, --ink. Called again when the theme changes. */
  private readPalette(): Palette {
    const style = getComputedStyle(this.overlay);
    const colour = (name: string) => new THREE.Color(style.getPropertyValue(name).trim() || "#888");
    return { paper: colour("--paper"), line: colour("--line"), ink: colour("--ink") };
  }
  retheme(): void {
    this.palette = this.readPalette();
    this.arrange(this.options, false);
  }

  /** Sets up habitat and camera. */
  arrange(options: StageOptions, moveCamera = true): void {
    this.options = options;
    this.renderer.setClearColor(this.palette.paper);
    this.controls.enableRotate = !options.flat;
    if (moveCamera) this.home();
    drawBackdrop(this.backdrop, options, this.palette.line);
    for (const layer of this.layers.values()) this.tint(layer.material as THREE.ShaderMaterial);
    this.dirty = true;
  }

  /** Brings the camera back. */
  home(): void {
    const [x, y, z] = this.options.flat ? [0, 0, 3.2] : (this.options.eye ?? [1.6, 1.1, 2.6]);
    const e = this.options.extent;
    this.camera.up.set(0, 1, 0);
    this.camera.position.set(x * e, y * e, z * e);
    this.camera.near = e / 50;
    this.camera.far = e * 50;
    this.camera.updateProjectionMatrix();
    this.controls.target.set(0, 0, 0);
    this.sight.forget();
    this.controls.update();
    this.dirty = true;
  }

  /** Turns or nears the camera, for the keyboard. */
  turn(azimuth: number, polar: number, nearer = 1): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const s = new THREE.Spherical().setFromVector3(offset);
    if (!this.options.flat) {
      s.theta += azimuth;
      s.phi = Math.max(0.05, Math.min(Math.PI - 0.05, s.phi + polar));
    }
    s.radius /= nearer;
    this.camera.position.copy(this.controls.target).add(new THREE.Vector3().setFromSpherical(s));
    this.controls.update();
    this.dirty = true;
  }

  /** Whether one finger and the left button draw; then two fingers and the right button turn. */
  pen(draws: boolean): void {
    const { controls } = this;
    controls.mouseButtons.LEFT = draws ? null : THREE.MOUSE.ROTATE;
    controls.mouseButtons.RIGHT = draws ? THREE.MOUSE.ROTATE : THREE.MOUSE.PAN;
    controls.touches.ONE = draws ? null : THREE.TOUCH.ROTATE;
    controls.touches.TWO = draws ? THREE.TOUCH.DOLLY_ROTATE : THREE.TOUCH.DOLLY_PAN;
  }

  /** While something is dragged or lassoed the camera stays. */
  hold(held: boolean): void {
    this.controls.enabled = !held;
  }

  private tint(material: THREE.ShaderMaterial): void {
    const distance = this.camera.position.distanceTo(this.controls.target);
    const e = this.options.extent;
    material.uniforms.paper.value = this.palette.paper;
    material.uniforms.ring.value = this.palette.ink;
    material.uniforms.radius.value = this.options.radius;
    material.uniforms.fog.value.set(distance - 0.4 * e, distance + 1.6 * e);
  }

  /** Shows a layer of boids; null takes it away. */
  boids(name: string, boids: Boids | null): void {
    this.dirty = true;
    let points = this.layers.get(name);
    if (!boids) {
      if (points) this.drop(points, this.layers, name);
      return;
    }
    const n = boids.positions.length / 3;
    if (!points) {
      points = new THREE.Points(new THREE.BufferGeometry(), this.boidMaterial());
      points.frustumCulled = false;
      this.layers.set(name, points);
      this.scene.add(points);
    }
    this.attribute(points.geometry, "position", boids.positions, 3);
    this.attribute(points.geometry, "colour", boids.colours, 3);
    if (n > this.ones.length) {
      this.ones = new Float32Array(2 * n).fill(1);
      this.zeros = new Float32Array(2 * n);
    }
    this.attribute(points.geometry, "size", boids.sizes ?? this.ones.subarray(0, n), 1);
    this.attribute(points.geometry, "mark", boids.marks ?? this.zeros.subarray(0, n), 1);
    points.geometry.setDrawRange(0, n);
    const material = points.material as THREE.ShaderMaterial;
    material.uniforms.opacity.value = boids.opacity ?? 1;
    material.depthWrite = (boids.opacity ?? 1) >= 1;
    points.renderOrder = (boids.order ?? 0) + (material.depthWrite ? 0 : 1);
  }

  private boidMaterial(): THREE.ShaderMaterial {
    const material = new THREE.ShaderMaterial({
      vertexShader: boidVertex,
      fragmentShader: boidFragment,
      transparent: true,
      uniforms: {
        pixels: { value: 1 },
        radius: { value: 1 },
        opacity: { value: 1 },
        paper: { value: new THREE.Color() },
        ring: { value: new THREE.Color() },
        fog: { value: new THREE.Vector2() },
      },
    });
    this.tint(material);
    return material;
  }

  /** Shows a layer of straight pieces; null takes it away. */
  lines(name: string, lines: Lines | null): void {
    this.dirty = true;
    let segments = this.lineLayers.get(name);
    if (!lines || lines.points.length === 0) {
      if (segments) this.drop(segments, this.lineLayers, name);
      return;
    }
    if (!segments) {
      const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false });
      segments = new THREE.LineSegments(new THREE.BufferGeometry(), material);
      segments.frustumCulled = false;
      this.lineLayers.set(name, segments);
      this.scene.add(segments);
    }
    this.attribute(segments.geometry, "position", lines.points, 3);
    this.attribute(segments.geometry, "color", lines.colours, 3);
    segments.geometry.setDrawRange(0, lines.points.length / 3);
    segments.renderOrder = lines.order ?? 0;
    (segments.material as THREE.LineBasicMaterial).opacity = lines.opacity ?? 1;
  }

  private attribute(geometry: THREE.BufferGeometry, name: string, from: Float32Array, width: number): void {
    const old = geometry.getAttribute(name) as THREE.BufferAttribute | undefined;
    if (old && old.array.length >= from.length) {
      (old.array as Float32Array).set(from);
      old.needsUpdate = true;
      return;
    }
    const room = new Float32Array(width * Math.ceil((1.25 * from.length) / width));
    room.set(from);
    geometry.setAttribute(name, new THREE.BufferAttribute(room, width).setUsage(THREE.DynamicDrawUsage));
  }

  private drop<T extends THREE.Points | THREE.LineSegments>(object: T, from: Map<string, T>, name: string): void {
    this.scene.remove(object);
    object.geometry.dispose();
    (object.material as THREE.Material).dispose();
    from.delete(name);
  }

  /** Words in the scene; they are text of the page, so that they can be read and restyled. */
  setLabels(labels: Label[]): void {
    for (const { element } of this.labels) element.remove();
    this.labels = labels.map((label) => {
      const element = document.createElement("span");
      element.className = `scene-label ${label.kind ?? "axis"}`;
      element.textContent = label.text;
      this.overlay.append(element);
      return { label, element };
    });
    this.dirty = true;
  }

  /** Moves the words of a kind to another place. */
  moveLabel(kind: Label["kind"], place: Label["place"]): void {
    for (const { label } of this.labels) if (label.kind === kind) label.place = place;
    this.dirty = true;
  }

  /** The words as they stand on the canvas, in CSS pixels, for pictures of the scene. */
  wordsOnScreen(): { text: string; kind: string; x: number; y: number }[] {
    return this.labels.flatMap(({ label }) => {
      const p = this.onScreen(label.place);
      return p ? [{ text: label.text, kind: label.kind ?? "axis", x: p.x, y: p.y }] : [];
    });
  }

  /** Where a place of the scene is on the canvas, in CSS pixels; null behind the camera. */
  onScreen(place: ArrayLike<number>): { x: number; y: number; depth: number } | null {
    const v = this.spare.set(place[0], place[1], place[2]).project(this.camera);
    if (v.z > 1) return null;
    const { clientWidth: w, clientHeight: h } = this.canvas;
    return { x: ((v.x + 1) / 2) * w, y: ((1 - v.y) / 2) * h, depth: v.z };
  }

  /** The place under (x, y) on the plane through `through` that faces the camera. */
  underPointer(x: number, y: number, through: ArrayLike<number>): [number, number, number] {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera);
    const normal = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(
      normal,
      new THREE.Vector3(through[0], through[1], through[2]),
    );
    const hit = ray.ray.intersectPlane(plane, new THREE.Vector3()) ?? new THREE.Vector3();
    return [hit.x, hit.y, hit.z];
  }

  /** Where boid `i` of a layer is shown. */
  placeOf(name: string, i: number): [number, number, number] | null {
    const points = this.layers.get(name);
    if (!points || i >= points.geometry.drawRange.count) return null;
    const places = points.geometry.getAttribute("position").array;
    return [places[3 * i], places[3 * i + 1], places[3 * i + 2]];
  }

  /** Turns about a place from now on; what is seen moves so that it is in the middle. */
  centre(place: ArrayLike<number>): void {
    const to = new THREE.Vector3(place[0], place[1], place[2]);
    this.camera.position.add(to).sub(this.controls.target);
    this.controls.target.copy(to);
    this.sight.forget();
    this.controls.update();
    this.dirty = true;
  }

  /** Moves what is seen until a ball of the scene is whole on the canvas, above the `foot` lowest CSS pixels. */
  reveal(place: ArrayLike<number>, radius: number, foot = 0): void {
    this.fitCanvas();
    if (this.sight.reveal(place, radius, foot / this.canvas.clientHeight)) this.moved();
  }

  /** Undoes what `reveal` did. */
  unreveal(): void {
    if (this.sight.undo()) this.moved();
  }

  private moved(): void {
    this.controls.update();
    this.dirty = true;
  }

  /** Where a ball of the scene is seen, in CSS pixels of the canvas; null behind the camera. */
  disc(place: ArrayLike<number>, radius: number): { x: number; y: number; r: number } | null {
    this.camera.updateMatrixWorld();
    const up = new THREE.Vector3(0, radius, 0).applyQuaternion(this.camera.quaternion);
    const middle = this.onScreen(place);
    const edge = this.onScreen([place[0] + up.x, place[1] + up.y, place[2] + up.z]);
    return middle && edge && { x: middle.x, y: middle.y, r: Math.hypot(edge.x - middle.x, edge.y - middle.y) };
  }

  /** Something of the scene changed that no layer tells of. */
  touch(): void {
    this.dirty = true;
  }

  /** Radius of a boid of size 1. */
  boidRadius(): number {
    return this.options.radius;
  }

  /** How much of the scene is seen across, in its units. */
  span(): number {
    return 2 * this.options.extent;
  }

  /** The boid of a layer nearest to (x, y), within `reach` CSS pixels; the front one of several. */
  pick(name: string, x: number, y: number, reach = 14): number | null {
    let best: number | null = null;
    let least = Infinity;
    this.eachOnScreen(name, (i, p) => {
      const gap = Math.hypot(p.x - x, p.y - y);
      if (gap < reach && gap + 40 * p.depth < least) {
        least = gap + 40 * p.depth;
        best = i;
      }
    });
    return best;
  }

  /** The boids of a layer inside a closed line of CSS pixels. */
  lasso(name: string, line: { x: number; y: number }[]): number[] {
    const inside: number[] = [];
    this.eachOnScreen(name, (i, p) => {
      let odd = false;
      for (let a = 0, b = line.length - 1; a < line.length; b = a++) {
        const crosses = line[a].y > p.y !== line[b].y > p.y;
        if (crosses && p.x < ((line[b].x - line[a].x) * (p.y - line[a].y)) / (line[b].y - line[a].y) + line[a].x) {
          odd = !odd;
        }
      }
      if (odd) inside.push(i);
    });
    return inside;
  }

  private eachOnScreen(name: string, visit: (i: number, p: { x: number; y: number; depth: number }) => void): void {
    const points = this.layers.get(name);
    if (!points) return;
    const places = points.geometry.getAttribute("position").array;
    for (let i = 0; i < points.geometry.drawRange.count; ++i) {
      const p = this.onScreen([places[3 * i], places[3 * i + 1], places[3 * i + 2]]);
      if (p) visit(i, p);
    }
  }

  /** Draws if something changed, or when told to. */
  render(force = false): void {
    if (!this.fitCanvas() || (!this.dirty && !force)) return;
    for (const layer of this.layers.values()) {
      const material = layer.material as THREE.ShaderMaterial;
      this.tint(material);
      material.uniforms.pixels.value = this.canvas.height;
    }
    this.renderer.render(this.scene, this.camera);
    this.placeLabels();
    this.dirty = false;
  }

  /** Whether there is a canvas to draw on, as large as its place on the page. */
  private fitCanvas(): boolean {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    if (w === 0 || h === 0) return false;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const fits = this.canvas.width === Math.floor(w * ratio) && this.canvas.height === Math.floor(h * ratio);
    if (!fits) this.fit(w, h, ratio);
    return true;
  }

  private fit(w: number, h: number, ratio: number): void {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    // A narrow canvas sees as much across as a square one.
    this.camera.fov = w < h ? (360 / Math.PI) * Math.atan((Math.tan((19 * Math.PI) / 180) * h) / w) : 38;
    this.camera.updateProjectionMatrix();
    this.dirty = true;
  }

  private placeLabels(): void {
    for (const { label, element } of this.labels) {
      const p = this.onScreen(label.place);
      element.hidden = !p;
      if (p) element.style.transform = `translate(${p.x}px, ${p.y}px) translate(-50%, -50%)`;
    }
  }

  dispose(): void {
    this.setLabels([]);
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}
