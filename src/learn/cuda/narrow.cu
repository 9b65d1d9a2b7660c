// narrow.cu: whole samples of narrow swarms on a GPU: all blocks forward, the loss, all blocks
// back.
#include "learn/cuda/narrow_attention.cuh"
#include "learn/cuda/narrow_perceptron.cuh"

namespace murmur::cuda {

namespace {

constexpr float kLn2 = 0.693147180559945309f;

// A gradient below this is 0, as on the processor.
__device__ float felt(double gradient) {
  return fabs(gradient) < 1e-20 ? 0.0f : static_cast<float>(gradient);
}

// One team and the sample under way. U: hidden units a thread has at once.
template <int D, int U>
struct Flight {
  static constexpr int kMap = D * D + D;
  const NarrowBatch& b;
  Seats m;
  Member me;
  int team;          // of all: whose room is used
  int n = 0;         // tokens
  int label = 0;     // of the sample
  double apart = 0;  // this thread's part of the distances behind the blocks
  Units<D, U> dw{};  // gradients over all blocks and samples, where the blocks share them
  float entry = 0;   // likewise, of one number of the maps or of out_bias
  float start = 0;   // likewise, of one number of the CLS token's start

  __device__ const float* tensors(int block) const {
    return b.parameters + (b.shared ? 0 : block * b.block_size);
  }
  // The gradients that this team adds to, alone or with the other team of its thread block.
  __device__ float* row() const {
    return b.partial + (b.together ? blockIdx.x : team) * b.parameter_count;
  }
  __device__ float* gradients(int block) const {
    return row() + (b.shared ? 0 : block * b.block_size);
  }
  __device__ PerceptronTensors perceptron_of(int block) const {
    const float* in = tensors(block) + b.maps * kMap;
    const std::size_t hidden = b.hidden;
    return {in, in + hidden * D, in + hidden * (D + 1), in + hidden * (2 * D + 1), b.hidden};
  }
  __device__ float4* kept(int block, int plane) const {
    const std::size_t at = (static_cast<std::size_t>(team) * b.blocks + block) * kPlanes + plane;
    return reinterpret_cast<float4*>(b.history) + at * b.stride;
  }
  __device__ float sharpness() const { return rsqrtf(static_cast<float>(D)); }
  // Of the maps of a block: query, key, value, mix, or the last two of them.
  __device__ const float* map_of(int block, int which) const {
    return tensors(block) + (which - (4 - b.maps)) * kMap;
  }

  __device__ void take_off(int sample) {
    const int begin = b.first[sample], points = b.first[sample + 1] - begin;
    n = points + (b.cls ? 1 : 0);
    label = b.settled > 0 && b.backward ? b.label[sample] : 0;
    for (int i = me.id; i < m.stride; i += me.size) {
      float x[D] = {};
      if (i < points) {
        x[0] = b.points[2 * (begin + i)], x[1] = b.points[2 * (begin + i) + 1];
        if (b.code != nullptr)
          for (int c = 0; c < D; ++c) x[c] += b.code[i * D + c];
      } else if (i < n) {
        for (int c = 0; c < D; ++c) x[c] = b.parameters[b.parameter_count - D + c];
      }
      m.x[i] = row_of(x);
      m.s[i] = {0, 0, 0, 0};  // past the last token too: a tile may end there
    }
    me.meet();
  }

  // q in powers of two, k and v of token i.
  __device__ void project(int block, int i, const float (&x)[D], float beside) {
    float q[D], k[D], v[D];
    map(map_of(block, 0), x, q);
    map(map_of(block, 1), x, k);
    map(map_of(block, 2), x, v);
    for (int c = 0; c < D; ++c) q[c] *= sharpness() / kLn2;
    m.q[i] = row_of(q, beside);
    m.k[i] = row_of(k);
    m.v[i] = row_of(v);
  }

  // entries[0 .. D) <- the mean token; `second`: entries[8 .. 8 + D) <- the sum of `totals`.
  __device__ void means(const float4* totals) {
    const bool second = me.warp >= kQuarters;
    const int c = me.warp % kQuarters;
    if (me.warp < 2 * kQuarters && c < D && (!second || totals != nullptr)) {
      const float* at = reinterpret_cast<const float*>(second ? totals : m.x) + c;
      float sum = 0;
      for (int i = me.lane; i < n; i += kLanes) sum += at[4 * i];
      sum = sum_of_lanes(sum);
      if (me.lane == 0) m.entries[second ? 8 + c : c] = second ? sum : sum / n;
    }
    me.meet();
  }

  //   y = x + residual (M o + b_M), or x + residual (mean - x), or x
  __device__ void interact(int block) {
    const float r = b.residual;
    if (b.maps == 4) {
      for (int i = me.id; i < n; i += me.size) {
        float x[D];
        read(m.x[i], x);
        project(block, i, x, 0);
      }
      me.meet();
      attend<D>(m, me, n, [&](int i, const float(&o)[D], Weighed w) {
        float x[D], push[D];
        read(m.x[i], x);
        map(map_of(block, 3), o, push);
        if (b.backward) {
          kept(block, 0)[i] = row_of(x);
          kept(block, 2)[i] = row_of(o);
          kept(block, 3)[i] = {w.peak, w.share, 0, 0};
        }
        for (int c = 0; c < D; ++c) x[c] = fmaf(r, push[c], x[c]);
        if (b.backward) kept(block, 1)[i] = row_of(x);
        m.x[i] = row_of(x);
      });
      me.meet();
      return;
    }
    float mean[D] = {}, v[D], push[D] = {};
    me.meet();
    if (b.maps == 2 || b.attraction) {
      means(nullptr);
      for (int c = 0; c < D; ++c) mean[c] = m.entries[c];
    }
    if (b.maps == 2) map(map_of(block, 2), mean, v), map(map_of(block, 3), v, push);
    for (int i = me.id; i < n; i += me.size) {
      float x[D];
      read(m.x[i], x);
      if (b.backward) kept(block, 0)[i] = row_of(x);
      for (int c = 0; c < D; ++c) x[c] += r * (b.attraction ? mean[c] - x[c] : push[c]);
      if (b.backward) kept(block, 1)[i] = row_of(x);
      m.x[i] = row_of(x);
    }
    me.meet();
  }

  __device__ void forward(int block) {
    interact(block);
    const PerceptronTensors t = perceptron_of(block);
    perceptron<D, U>(m, me, n, t);
    me.meet();
    for (int i = me.id; i < n; i += me.size) {
      float x[D], sum[D];
      read(m.x[i], x);
      sum_parts(m, i, sum);
      for (int c = 0; c < D; ++c) x[c] = fmaf(b.residual, sum[c] + __ldg(t.out_bias + c), x[c]);
      m.x[i] = row_of(x);
    }
  }

  // few[0 .. D) <- the mean token, or the last.
  __device__ void read_out(int sample) {
    me.meet();
    if (me.warp < D) {
      const float* at = reinterpret_cast<const float*>(m.x) + me.warp;
      double sum = 0;
      for (int i = b.cls ? n - 1 + me.lane : me.lane; i < n; i += kLanes) sum += at[4 * i];
      sum = sum_of_lanes(sum) / (b.cls ? 1 : n);
      if (me.lane == 0) {
        m.few[me.warp] = static_cast<float>(sum);
        b.readout[sample * D + me.warp] = static_cast<float>(sum);
      }
    }
    me.meet();
  }

  __device__ double score(int c) const {
    double sum = 0;
    for (int k = 0; k < D; ++k) sum += m.few[k] * b.targets[c * D + k];
    return sum / 10;
  }

  // By one thread: the verdict; of the cross-entropy the loss, and few[4 .. 4 + D) <- its gradient.
  __device__ void judge(int sample) {
    int best = 0;
    double peak = score(0);
    for (int c = 1; c < b.classes; ++c) {
      const double s = score(c);
      if (s > peak) peak = s, best = c;
    }
    b.correct[sample] = best == b.label[sample];
    if (b.target_loss) return;
    double sum = 0, loss = 0, dm[D] = {};
    for (int c = 0; c < b.classes; ++c) sum += exp(score(c) - peak);
    const double log_sum = log(sum);
    for (int c = 0; c < b.classes; ++c) {
      const double log_p = score(c) - peak - log_sum;
      const double y = (c == b.label[sample] ? 1 - b.smoothing : 0.0) + b.smoothing / b.classes;
      loss -= y * log_p;
      for (int k = 0; k < D; ++k) dm[k] += (exp(log_p) - y) * b.targets[c * D + k] * b.share / 10;
    }
    b.loss[sample] = loss * b.share;
    for (int k = 0; k < D; ++k) m.few[4 + k] = dm[k] / (b.cls ? 1 : n);
  }

  // |x - t| of token i times `weight`, and its gradient.
  __device__ double distance(int label, double weight, const float (&x)[D], float (&dx)[D]) const {
    double gap[D], square = 0;
    for (int c = 0; c < D; ++c) gap[c] = x[c] - b.targets[label * D + c], square += gap[c] * gap[c];
    const double length = sqrt(square);
    for (int c = 0; c < D; ++c)
      dx[c] = length > 0 ? static_cast<float>(weight * gap[c] / length) : 0.0f;
    return weight * length;
  }

  // The loss and dx, its gradient at every token.
  __device__ void lose(int sample) {
    read_out(sample);
    if (!b.backward) return;
    if (me.id == 0) judge(sample);
    me.meet();
    const double tokens = b.cls ? 1 : b.padded_tokens > 0 ? b.padded_tokens : n;
    double loss = 0;
    for (int i = me.id; i < n; i += me.size) {
      const bool read_too = !b.cls || i == n - 1;
      float x[D], dx[D];
      read(m.x[i], x);
      if (b.target_loss)
        loss += distance(b.label[sample], read_too ? b.share / tokens : 0, x, dx);
      else
        for (int c = 0; c < D; ++c) dx[c] = read_too ? felt(m.few[4 + c]) : 0;
      look_back(b.blocks - 1, i, dx);
    }
    loss = sum_of_lanes(loss);
    if (me.lane == 0) m.few[8 + me.warp] = loss;
    me.meet();
    if (!b.target_loss || me.id != 0) return;
    for (int w = 1; w < me.warps; ++w) loss += m.few[8 + w];
    b.loss[sample] = loss;
  }

  // Adds the gradient of weight |x_i - t|^2 behind `block`, where m.x is.
  __device__ void settle(int i, float (&dx)[D]) {
    float x[D];
    read(m.x[i], x);
    const double weight = b.settle / n;
    for (int c = 0; c < D; ++c) {
      const double gap = x[c] - b.targets[label * D + c];
      apart += weight * gap * gap;
      dx[c] += felt(2 * weight * gap);
    }
  }
  __device__ void add_settle(int sample) {
    apart = sum_of_lanes(apart);
    if (me.lane == 0) m.few[8 + me.warp] = apart;
    me.meet();
    apart = 0;
    if (me.id != 0) return;
    double sum = 0;
    for (int w = 0; w < me.warps; ++w) sum += m.few[8 + w];
    b.loss[sample] += sum;
  }

  // Token i, which is behind `block` yet, as the feed-forward of `block` must find it to go back.
  __device__ void look_back(int block, int i, float (&dx)[D]) {
    float s[D];
    if (block >= b.blocks - b.settled) settle(i, dx);
    for (int c = 0; c < D; ++c) s[c] = b.residual * dx[c];
    m.dx[i] = row_of(dx);
    m.s[i] = row_of(s);
    if (block >= 0) m.x[i] = kept(block, 1)[i];
  }

  __device__ void perceptron_backward(int block) {
    const PerceptronTensors t = perceptron_of(block);
    for (int from = 0; from < b.hidden; from += kSet * U) {
      const Units<D, U> w = read_units<D, U>(t, from, me.id);
      if (!b.together) dw = {};
      perceptron_back(m, me, n, w, from > 0, dw);
      if (!b.together)
        keep_units(m, me, from, b.hidden, true, dw, gradients(block) + b.maps * kMap);
    }
    me.meet();
    for (int i = me.id; i < n; i += me.size) {
      float dx[D], sum[D];
      read(m.dx[i], dx);
      sum_parts(m, i, sum);
      for (int c = 0; c < D; ++c) dx[c] += sum[c];
      m.dx[i] = row_of(dx);
      m.x[i] = kept(block, 0)[i];
    }
  }

  // One number of the gradients a thread, over some of the tokens.
  __device__ int entries() const { return b.maps * kMap + D; }
  __device__ void add_entries(const float (&v)[D], const float (&dv)[D]) {
    const int each = kTeam / entries(), slices = me.size / kTeam * each;  // slices of the tokens
    const int e = me.id % kTeam % entries(), within = me.id % kTeam / entries();
    if (within >= each) return;
    const int slice = me.id / kTeam * each + within;
    const int which = e / kMap + (4 - b.maps), rest = e % kMap;  // 4: out_bias
    const bool bias = rest >= D * D || which == 4;
    const int a = which == 4 ? rest : bias ? rest - D * D : rest / D, c = rest % D;
    const float scale = which == 3 ? b.residual : 1;
    if (b.maps == 2 && which < 4) {
      if (slice > 0) return;
      const float left = which == 3 ? scale * m.entries[8 + a] : pick(dv, a);
      entry += left * (bias ? 1.0f : which == 3 ? pick(v, c) : m.entries[c]);
      return;
    }
    const float4* from = which == 4 ? m.s : which == 3 ? m.dx : m.parts + which * m.stride;
    const float* left = reinterpret_cast<const float*>(from) + a;
    const float* right = reinterpret_cast<const float*>(which == 3 ? m.o : m.x) + c;
    float sum = 0;
#pragma unroll 4
    for (int i = slice; i < n; i += slices)
      sum = fmaf(left[4 * i], bias ? 1.0f : right[4 * i], sum);
    entry += scale * sum;
  }
  __device__ static float pick(const float (&v)[D], int at) {
    float value = v[0];
    for (int c = 1; c < D; ++c) value = at == c ? v[c] : value;
    return value;
  }
  __device__ void give_entries(int block) {
    const int count = entries(), each = kTeam / count, maps = b.maps * kMap;
    me.meet();
    m.entries[me.id] = entry;
    entry = 0;
    me.meet();
    if (me.id < count) {
      float sum = 0;
      for (int t = 0; t < me.size; t += kTeam)
        for (int s = 0; s < each; ++s) sum += m.entries[t + s * count + me.id];
      float& to = gradients(block)[me.id < maps ? me.id : b.block_size - D + me.id - maps];
      to = b.together ? sum : to + sum;
    }
    me.meet();
  }

  //   do = residual M^T dy;  dx = dy + Q^T dq + K^T dk + V^T dv
  __device__ void attention_backward(int block) {
    for (int i = me.id; i < n; i += me.size) {
      float x[D], dy[D], o[D], g[D] = {};
      read(m.x[i], x);
      read(m.dx[i], dy);
      const float4 o_row = kept(block, 2)[i], weighed = kept(block, 3)[i];
      read(o_row, o);
      add_map_back(map_of(block, 3), dy, b.residual * weighed.y, g);
      const float level = dot(g, o, 0.0f);
      project(block, i, x, -weighed.x);
      m.g[i] = row_of(g, -level);
      m.o[i] = o_row;
      if (D == 4) m.peak[i] = -weighed.x, m.level[i] = -level;
    }
    me.meet();
    const int groups = (n + kRows - 1) / kRows;
    for (int task = me.warp; task < 2 * groups; task += me.warps) {
      if (task < groups)
        key_rows<D>(m, me, n, task * kRows, kLn2);
      else
        query_rows<D>(m, me, n, (task - groups) * kRows, sharpness());
    }
    me.meet();
    add_entries({}, {});
    me.meet();
    for (int i = me.id; i < n; i += me.size) {
      float dx[D], part[D];
      read(m.dx[i], dx);
      for (int which = 0; which < 3; ++which) {
        read(m.parts[which * m.stride + i], part);
        add_map_back(map_of(block, which), part, 1, dx);
      }
      look_back(block - 1, i, dx);
    }
    me.meet();
  }

  // The interactions through the mean token, or none.
  __device__ void mean_backward(int block) {
    float mean[D] = {}, total[D] = {}, v[D] = {}, dv[D] = {}, dmean[D] = {};
    me.meet();
    if (b.maps == 2 || b.attraction) means(m.dx);
    for (int c = 0; c < D; ++c) mean[c] = m.entries[c], total[c] = m.entries[8 + c];
    if (b.maps == 2) {
      map(map_of(block, 2), mean, v);
      add_map_back(map_of(block, 3), total, b.residual, dv);
      add_map_back(map_of(block, 2), dv, 1, dmean);
    }
    add_entries(v, dv);
    me.meet();
    for (int i = me.id; i < n; i += me.size) {
      float dx[D];
      read(m.dx[i], dx);
      for (int c = 0; c < D; ++c)
        dx[c] += b.attraction ? b.residual * (total[c] / n - dx[c]) : dmean[c] / n;
      look_back(block - 1, i, dx);
    }
    me.meet();
  }

  __device__ void backward(int block) {
    perceptron_backward(block);
    if (b.maps == 4)
      attention_backward(block);
    else
      mean_backward(block);
    if (!b.shared) give_entries(block);
  }

  __device__ void fly(int sample) {
    take_off(sample);
    for (int block = 0; block < b.blocks; ++block) forward(block);
    lose(sample);
    if (!b.backward) return;
    for (int block = b.blocks - 1; block >= 0; --block) backward(block);
    if (b.settled > 0) add_settle(sample);
    if (b.cls && me.id < D) start += reinterpret_cast<const float*>(m.dx + n - 1)[me.id];
    me.meet();
  }

  __device__ void fly_all(int queue) {
    for (int at = b.queue_first[queue]; at < b.queue_first[queue + 1]; ++at) fly(b.queue[at]);
  }

  // What the team still holds goes to its gradients.
  __device__ void finish() {
    if (b.shared) give_entries(0);
    if (b.together) keep_units(m, me, 0, b.hidden, false, dw, gradients(0) + b.maps * kMap);
    if (!b.cls) return;
    me.meet();
    m.entries[me.id] = start;
    me.meet();
    if (me.id >= D) return;
    for (int t = kTeam; t < me.size; t += kTeam) start += m.entries[t + me.id];
    float& to = row()[b.parameter_count - D + me.id];
    to = b.together ? start : to + start;
  }
};

template <int D, int U>
__global__ void __launch_bounds__(2 * kTeam, 1) fly_samples(const __grid_constant__ NarrowBatch b) {
  extern __shared__ __align__(16) char room[];
  const int local = threadIdx.x / kTeam, id = threadIdx.x % kTeam;
  const int block = static_cast<int>(blockIdx.x), teams = b.teams_a_block;
  constexpr int scratch = scratch_floats<D, U>;
  const auto seats = [&](int t) {
    return take_seats(room + t * seat_bytes(b.stride, scratch), b.stride, scratch);
  };
  const Member all(0, static_cast<int>(threadIdx.x), teams * kTeam);
  Flight<D, U> flight{b, seats(0), all, block * teams};
#pragma unroll 1
  for (int alone = 0; alone < 2; ++alone) {
    if (alone) {
      flight.m = seats(local);
      flight.me = Member(1 + local, id, kTeam);
      flight.team = block * teams + local;
    }
    flight.fly_all(3 * block + (alone ? 1 + local : 0));
  }
  if (!b.backward) return;
  if (b.together) {
    all.meet();
    flight.m = seats(0);
    flight.me = all;
  }
  flight.finish();
}

template <int D, int U>
void launch(const NarrowBatch& b, cudaStream_t stream) {
  const std::size_t bytes = b.teams_a_block * seat_bytes(b.stride, scratch_floats<D, U>);
  cudaFuncSetAttribute(fly_samples<D, U>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(bytes));
  fly_samples<D, U><<<b.thread_blocks, b.teams_a_block * kTeam, bytes, stream>>>(b);
}

int units_a_thread(int hidden) { return hidden <= kSet ? 1 : hidden <= 2 * kSet ? 2 : 4; }

template <int D>
void launch(const NarrowBatch& b, cudaStream_t stream) {
  const int units = units_a_thread(b.hidden);
  if (units == 1) return launch<D, 1>(b, stream);
  if (units == 2) return launch<D, 2>(b, stream);
  launch<D, 4>(b, stream);
}

}  // namespace

std::size_t narrow_room(int d, int hidden, int stride) {
  return seat_bytes(stride, kSet * units_a_thread(hidden) * (2 * d + 1));
}

void launch_narrow(const NarrowBatch& given, cudaStream_t stream) {
  NarrowBatch b = given;
  b.together = b.shared && b.hidden <= kSet * units_a_thread(b.hidden);
  if (b.backward && !b.together)
    cudaMemsetAsync(b.partial, 0, partial_rows(b) * b.parameter_count * sizeof(float), stream);
  if (b.d == 2) launch<2>(b, stream);
  if (b.d == 3) launch<3>(b, stream);
  if (b.d == 4) launch<4>(b, stream);
  if (!b.backward) return;
  launch_partials(b, stream);
}

}  // namespace murmur::cuda
