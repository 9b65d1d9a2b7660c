// serve_test.cpp: requests judged by their heads, parts of files, links, and the list of runs.
#include "serve/serve.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "murmur/error.h"
#include "murmur/run.h"
#include "refused.h"
#include "run/formats.h"
#include "temporary.h"

namespace murmur {
namespace {

namespace fs = std::filesystem;

std::string head(const std::string& line, const std::string& more = "Host: 127.0.0.1:8127\r\n") {
  return line + "\r\n" + more + "\r\n";
}
HttpRequest ask(const std::string& target) {
  return read_request(head("GET " + target + " HTTP/1.1"), 8127);
}
int status(const std::string& bytes) { return read_request(bytes, 8127).status; }

TEST(Serve, PathsThatMeanWhatTheySay) {
  EXPECT_EQ(ask("/").path, "index.html");
  EXPECT_EQ(ask("/assets/page-1a2b3c4d.js").path, "assets/page-1a2b3c4d.js");
  EXPECT_EQ(ask("/a?b=../../c#d").path, "a");
  EXPECT_EQ(ask("/runs/my%20run/times.npy").path, "runs/my run/times.npy");
  EXPECT_EQ(ask("/%c3%a9").path, "\u00e9");
  EXPECT_EQ(ask("/a%252e").path, "a%2e");  // decoded once
  EXPECT_EQ(ask("/a..b").path, "a..b");
}

TEST(Serve, PathsThatDoNot) {
  for (const char* target :
       {"/..", "/../a", "/a/../b", "/%2e%2e/a", "/.%2e/a", "/a/%2E%2E", "/.git/config", "/.",
        "/./a", "/a/.hidden", "/%2egit", "/..%00", "/...", "/.well-known"})
    EXPECT_TRUE(ask(target).status == 403 || ask(target).status == 400) << target;
  for (const char* target :
       {"//etc/passwd", "/a//b", "a", "*", "http://127.0.0.1:8127/", "/a\\b", "/a%5cb", "/..%2fa",
        "/a%2fb", "/a%00", "/a%0a", "/a%", "/a%4", "/a%zz", "/a%7f", "/\xc3\xa9", "/a b"})
    EXPECT_EQ(ask(target).status, 400) << target;
  EXPECT_EQ(ask("/a/").status, 404);
  EXPECT_EQ(ask("/" + std::string(5000, 'a')).status, 414);
  EXPECT_EQ(ask("/" + std::string(300, 'a')).status, 414);
}

TEST(Serve, OnlyThisMachineByItsNames) {
  const auto host = [](const std::string& name) {
    return status(head("GET / HTTP/1.1", "Host: " + name + "\r\n"));
  };
  for (const char* name : {"127.0.0.1:8127", "localhost:8127", "LocalHost:8127", "[::1]:8127"})
    EXPECT_EQ(host(name), 200) << name;
  for (const char* name : {"127.0.0.1", "localhost", "localhost:80", "evil.example:8127",
                           "localhost:8127.evil.example", "evil.localhost:8127", "127.0.0.1:81270",
                           "localhost.:8127", "", ":8127", "127.0.0.1:8127:8127"})
    EXPECT_EQ(host(name), 403) << name;
  EXPECT_EQ(read_request(head("GET / HTTP/1.1", "Host: localhost\r\n"), 80).status, 200);
  EXPECT_EQ(status(head("GET / HTTP/1.1", "")), 400);
  EXPECT_EQ(status(head("GET / HTTP/1.1", "Host: localhost:8127\r\nHost: localhost:8127\r\n")),
            400);
}

TEST(Serve, MethodsVersionsBodies) {
  EXPECT_TRUE(read_request(head("GET / HTTP/1.1"), 8127).body);
  EXPECT_FALSE(read_request(head("HEAD / HTTP/1.1"), 8127).body);
  for (const char* method :
       {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get"})
    EXPECT_EQ(status(head(std::string(method) + " / HTTP/1.1")), 405) << method;
  EXPECT_EQ(status(head("GET / HTTP/2.0")), 505);
  for (const char* line :
       {"GET /", "GET  / HTTP/1.1", "GET", "", "G@T / HTTP/1.1", "GET / FTP/1.1"})
    EXPECT_EQ(status(head(line)), 400) << line;
  const std::string host = "Host: 127.0.0.1:8127\r\n";
  EXPECT_EQ(status(head("GET / HTTP/1.1", host + "Content-Length: 5\r\n")), 400);
  EXPECT_EQ(status(head("GET / HTTP/1.1", host + "Transfer-Encoding: chunked\r\n")), 400);
  EXPECT_EQ(status(head("GET / HTTP/1.1", host + "Content-Length: 0\r\n")), 200);
  for (const char* line : {"no colon\r\n", " folded: x\r\n", "Name : x\r\n", ": x\r\n"})
    EXPECT_EQ(status(head("GET / HTTP/1.1", host + line)), 400) << line;
}

TEST(Serve, HeadsGrowUntilTheyAreWholeOrHopeless) {
  const std::string whole = head("GET /a HTTP/1.1");
  for (std::size_t k = 0; k < whole.size(); ++k) EXPECT_EQ(status(whole.substr(0, k)), 0) << k;
  EXPECT_EQ(read_request(whole + "GET /b", 8127).length, whole.size());
  EXPECT_EQ(status(std::string("GET / HTTP/1.1\0", 15)), 400);
  EXPECT_EQ(status("GET / HTTP/1.1\nHost"), 400);
  EXPECT_EQ(status("\x16\x03\x01\x02"), 400);  // the greeting of TLS
  EXPECT_EQ(status(std::string(16'384, 'a')), 0);
  EXPECT_EQ(status(std::string(16'385, 'a')), 431);
  EXPECT_EQ(status(head("GET / HTTP/1.1", "X: " + std::string(20'000, 'x') + "\r\n")), 431);
  std::string many = "Host: 127.0.0.1:8127\r\n";
  for (int k = 0; k < 101; ++k) many += "X: y\r\n";
  EXPECT_EQ(status(head("GET / HTTP/1.1", many)), 431);
}

TEST(Serve, ConnectionsThatStay) {
  const std::string host = "Host: 127.0.0.1:8127\r\n";
  EXPECT_TRUE(read_request(head("GET / HTTP/1.1"), 8127).keep);
  EXPECT_FALSE(read_request(head("GET / HTTP/1.0"), 8127).keep);
  EXPECT_FALSE(read_request(head("POST / HTTP/1.1"), 8127).keep);
  EXPECT_FALSE(read_request(head("GET / HTTP/1.1", host + "Connection: x, Close\r\n"), 8127).keep);
}

TEST(Serve, PartsOfFiles) {
  const auto part = [](const char* range) {
    const auto found = part_of(range, 100);
    return found ? std::pair<long, long>(found->first, found->length)
                 : std::pair<long, long>(-1, 0);
  };
  const std::pair<long, long> whole{0, 100}, nothing{-1, 0};
  EXPECT_EQ(part("bytes=0-9"), (std::pair<long, long>{0, 10}));
  EXPECT_EQ(part("bytes=90-"), (std::pair<long, long>{90, 10}));
  EXPECT_EQ(part("bytes=-30"), (std::pair<long, long>{70, 30}));
  EXPECT_EQ(part("bytes=-300"), whole);
  EXPECT_EQ(part("bytes=50-1000"), (std::pair<long, long>{50, 50}));
  for (const char* text :
       {"", "bytes", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,5-6", "lines=1-2", "bytes=a-b",
        "bytes=1-b", "bytes= 1-2", "bytes=--5", "bytes=99999999999999999999-"})
    EXPECT_EQ(part(text), whole) << text;
  for (const char* text : {"bytes=100-", "bytes=100-200", "bytes=-0"})
    EXPECT_EQ(part(text), nothing) << text;
  EXPECT_FALSE(part_of("bytes=0-", 0));
  EXPECT_EQ(part_of("", 0)->length, 0u);
}

TEST(Serve, NamesTypesAndCaches) {
  EXPECT_EQ(media_type("a/b.wasm"), "application/wasm");
  EXPECT_EQ(media_type("x.tar.json"), "application/json");
  EXPECT_EQ(media_type("model.safetensors"), "application/octet-stream");
  EXPECT_EQ(media_type("js"), "application/octet-stream");
  EXPECT_EQ(media_type("a.js/b"), "application/octet-stream");
  EXPECT_NE(cache_rule("assets/page-1a2B3c_d.js").find("immutable"), std::string::npos);
  for (const char* path : {"index.html", "assets/page.js", "assets/page-1a2b.js",
                           "page-1a2b3c4d.js", "assets/page-1a2b+c4d.js", "assets/-1a2b3c4d.js"})
    EXPECT_EQ(cache_rule(path), "no-cache") << path;
}

TEST(Serve, HeadsOfAnswers) {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "a.json") << "0123456789";
  const OpenedFile opened = open_below(folder.path(), "a.json");
  const auto head = [&](const std::string& range) {
    return head_of(file_answer({.path = "a.json", .range = range}, opened), true);
  };
  const auto has = [](const std::string& text, const std::string& line) {
    return text.find("\r\n" + line + "\r\n") != std::string::npos;
  };
  EXPECT_EQ(head("").rfind("HTTP/1.1 200 OK\r\n", 0), 0u);
  EXPECT_TRUE(has(head(""), "Content-Length: 10"));
  EXPECT_TRUE(has(head(""), "Content-Type: application/json"));
  EXPECT_TRUE(has(head(""), "Connection: keep-alive"));
  EXPECT_FALSE(has(head(""), "Content-Range: bytes 0-9/10"));
  EXPECT_EQ(head("bytes=2-4").rfind("HTTP/1.1 206 Partial Content\r\n", 0), 0u);
  EXPECT_TRUE(has(head("bytes=2-4"), "Content-Length: 3"));
  EXPECT_TRUE(has(head("bytes=2-4"), "Content-Range: bytes 2-4/10"));
  EXPECT_EQ(head("bytes=10-").rfind("HTTP/1.1 416 ", 0), 0u);
  EXPECT_TRUE(has(head("bytes=10-"), "Content-Range: bytes */10"));
  EXPECT_TRUE(has(head_of(list_answer("[]\n"), false), "Connection: close"));
  for (const int status : {400, 403, 404, 405, 408, 414, 416, 431, 500, 503, 505}) {
    const Reply answer = refusal(status);
    const std::string text = head_of(answer, false), number = std::to_string(status);
    EXPECT_EQ(text.rfind("HTTP/1.1 " + number + " ", 0), 0u);
    EXPECT_TRUE(has(text, "X-Content-Type-Options: nosniff"));
    EXPECT_TRUE(has(text, "Content-Length: " + std::to_string(answer.text.size())));
    EXPECT_EQ(answer.text.rfind(number + " ", 0), 0u);
    EXPECT_EQ(text.find("\r\n\r\n"), text.size() - 4);
  }
  EXPECT_TRUE(has(head_of(refusal(405), false), "Allow: GET, HEAD"));
}

TEST(Serve, CodingsThatAClientTakes) {
  for (const char* codings : {"br", "gzip, deflate, br", "gzip;q=0.5, BR ;q=0.1", "*", "*;q=0, br",
                              "br;q=1.000", "br;level=3"})
    EXPECT_TRUE(takes_coding(codings, "br")) << codings;
  for (const char* codings :
       {"", "gzip", "br;q=0", "br; q=0.000, *", "*;q=0", "brotli", "x-br", ",,", "identity"})
    EXPECT_FALSE(takes_coding(codings, "br")) << codings;
  const std::string more = "Host: 127.0.0.1:8127\r\naccept-encoding: gzip, br\r\n";
  EXPECT_EQ(read_request(head("GET / HTTP/1.1", more), 8127).codings, "gzip, br");
}

TEST(Serve, CompressedCopiesKeepTheTypeOfTheirFile) {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "a.js.br") << "012";
  const OpenedFile copy = open_below(folder.path(), "a.js.br");
  const std::string text = head_of(coded_answer({.path = "a.js"}, copy, "br"), true);
  for (const char* line : {"Content-Encoding: br", "Vary: Accept-Encoding", "Content-Length: 3",
                           "Content-Type: text/javascript; charset=utf-8"})
    EXPECT_NE(text.find(std::string("\r\n") + line + "\r\n"), std::string::npos) << line;
  EXPECT_EQ(text.find("Accept-Ranges"), std::string::npos);
}

TEST(Serve, LinksAndPipesAreNotFollowed) {
  const test::TemporaryDirectory folder;
  fs::create_directories(folder / "root/inside");
  std::ofstream(folder / "secret") << "secret";
  std::ofstream(folder / "root/inside/file") << "12345";
  fs::create_symlink(folder / "secret", folder / "root/out");
  fs::create_symlink("..", folder / "root/up");
  fs::create_symlink("inside", folder / "root/link");
  ASSERT_EQ(mkfifo((folder / "root/pipe").c_str(), 0600), 0);
  const auto opened = [&](const char* path) { return open_below(folder / "root", path).status; };
  EXPECT_EQ(open_below(folder / "root", "inside/file").size, 5u);
  for (const char* path : {"out", "up/secret", "link/file", "pipe", "inside", "inside/file/more"})
    EXPECT_NE(opened(path), 200) << path;
  EXPECT_EQ(opened("nothing"), 404);
  EXPECT_EQ(open_below(folder / "nowhere", "file").status, 404);
}

TEST(Serve, RunsAreListedAndDamagedOnesNoted) {
  const test::TemporaryDirectory folder;
  EXPECT_EQ(nlohmann::json::parse(list_runs(folder / "nowhere", {})), nlohmann::json::array());
  const RunContents contents{.config = "n = 2\n", .shape = {2, 3}, .command = "simulate"};
  for (const char* name : {"good one", "torn", "sweep"}) {
    RunContents these = contents;
    if (std::string(name) == "sweep") these.command = "sweep";
    murmur::Run run = murmur::Run::create(folder / name, these, false);
    run.append(0, HostSwarm({2, 3}), {});
    run.close("done", {}, "");
  }
  fs::resize_file(folder / "torn/trajectory.npy", 10);
  fs::create_directory(folder / "unread");
  std::ofstream(folder / "unread/manifest.json") << "{";
  fs::create_directory_symlink(folder / "good one", folder / "linked");
  fs::create_directory(folder / "plain");
  const nlohmann::json rows = nlohmann::json::parse(list_runs(folder.path(), {{"simulate", {}}}));
  ASSERT_EQ(rows.size(), 3u) << rows;
  EXPECT_EQ(rows[0]["name"], "good one");
  EXPECT_EQ(rows[0]["kind"], "simulate");
  EXPECT_EQ(rows[0]["n"], 2);
  EXPECT_EQ(rows[0]["d"], 3);
  EXPECT_EQ(rows[0]["frames"], 1);
  EXPECT_EQ(rows[0]["trajectory"], "/runs/good%20one/trajectory.npy");
  EXPECT_TRUE(rows[0]["model"].is_null());
  for (const int k : {1, 2}) {
    EXPECT_EQ(rows[k]["kind"], "damaged") << rows;
    EXPECT_FALSE(rows[k]["note"].get<std::string>().empty());
  }
}

TEST(Serve, FailuresAreToldByTheirCause) {
  const auto status = [](auto failure) { return status_of(std::make_exception_ptr(failure)); };
  const auto refused = [](std::errc code) {
    return fs::filesystem_error("open", std::make_error_code(code));
  };
  EXPECT_EQ(status(refused(std::errc::too_many_files_open)), 503);
  EXPECT_EQ(status(refused(std::errc::too_many_files_open_in_system)), 503);
  EXPECT_EQ(status(std::bad_alloc()), 503);
  EXPECT_EQ(status(refused(std::errc::io_error)), 500);
  EXPECT_EQ(status(std::runtime_error("a fault of the program")), 500);
  EXPECT_EQ(status(7), 500);
}

TEST(Serve, StartsStopsAndRefusesATakenPort) {
  const test::TemporaryDirectory folder;
  int port = 0;
  for (int k = 0; k < 20; ++k) {
    const PageServer server({folder.path(), {}}, 0);
    EXPECT_TRUE(server.running());
    port = server.port();
    EXPECT_THROW(PageServer({folder.path(), {}}, port), PortTaken);
  }
  const PageServer again({folder.path(), {}}, port);
  EXPECT_EQ(again.port(), port);
}

}  // namespace
}  // namespace murmur
