package io.understudy.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.testkit.CapturedLog;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the admin endpoint serves, and to whom. */
@Timeout(60)
class AdminServerTest extends AdminHarness {
    @Test
    void servesBothMetricFormats() throws Exception {
        registry.counter("understudy.commands", "command", "query").increment(3);
        HttpResponse<String> plain = get("/metrics");
        assertThat(plain.statusCode()).isEqualTo(200);
        assertThat(plain.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain; version=0.0.4"));
        assertThat(plain.body())
                .contains("understudy_commands_total{command=\"query\"} 3.0")
                .doesNotContain("# EOF");
        HttpResponse<String> open =
                get("/metrics", "Accept", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
        assertThat(open.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("application/openmetrics-text; version=1.0.0"));
        assertThat(open.body()).contains("understudy_commands_total").endsWith("# EOF\n");
    }

    @Test
    void healthFollowsReadiness() throws Exception {
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
        assertThat(get("/health/ready").body()).isEqualTo("{\"status\":\"ready\"}\n");
        reasons.add("the primary does not respond");
        HttpResponse<String> ready = get("/health/ready");
        assertThat(ready.statusCode()).isEqualTo(503);
        assertThat(ready.body()).contains("\"reasons\":[\"the primary does not respond\"]");
        assertThat(get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void aFailingReadinessCheckIsReported() throws Exception {
        server.close();
        server = AdminServer.start(
                ANY,
                TOKEN,
                List.of(),
                null,
                registry,
                () -> {
                    throw new IllegalStateException("state lost");
                },
                endpoints);
        HttpResponse<String> ready = get("/health/ready");
        assertThat(ready.statusCode()).isEqualTo(500);
        assertThat(ready.body()).contains("state lost");
    }

    @Test
    void servesViewsTheirListAndThePage() throws Exception {
        HttpResponse<String> view = get("/api/standbys");
        assertThat(view.body()).isEqualTo("[{\"name\":\"standby-1\",\"lagSeconds\":0.25}]\n");
        assertThat(view.headers().firstValue("cache-control")).hasValue("no-store");
        assertThat(view.headers().firstValue("content-type")).hasValue("application/json; charset=utf-8");
        assertThat(get("/api").body()).contains("/api/standbys", "/api/mirror/{standby}/pause");
        HttpResponse<String> page = get("/");
        assertThat(page.body()).startsWith("<!DOCTYPE html>").doesNotContain("http:", "https:", "style=", "onclick");
        assertThat(page.headers().firstValue("content-security-policy"))
                .hasValueSatisfying(policy ->
                        assertThat(policy).contains("default-src 'none'").doesNotContain("unsafe"));
        assertThat(get("/api/nothing").statusCode()).isEqualTo(404);
    }

    /** Everything that the page names is there, and is asked for again only when it has changed. */
    @Test
    void thePagesFilesHaveTypesAndTags() throws Exception {
        List<String> named = new ArrayList<>();
        Matcher names = Pattern.compile("(?:href|src)=\"(dashboard/[^\"]+)\"").matcher(get("/").body());
        while (names.find()) {
            named.add("/" + names.group(1));
        }
        assertThat(named).hasSizeGreaterThan(3);
        for (int i = 0; i < named.size(); i++) {
            HttpResponse<String> file = get(named.get(i));
            assertThat(file.statusCode()).as(named.get(i)).isEqualTo(200);
            Matcher imports = Pattern.compile("from \"\\./([a-z-]+\\.js)\"").matcher(file.body());
            while (imports.find()) {
                if (!named.contains("/dashboard/" + imports.group(1))) {
                    named.add("/dashboard/" + imports.group(1));
                }
            }
            String tag = file.headers().firstValue("etag").orElseThrow();
            HttpResponse<String> again = get(named.get(i), "If-None-Match", tag);
            assertThat(again.statusCode()).isEqualTo(304);
            assertThat(again.body()).isEmpty();
        }
        assertThat(named).contains("/dashboard/answers.js", "/dashboard/uplot.min.js");
        assertThat(get("/dashboard/main.js").headers().firstValue("content-type"))
                .hasValue("text/javascript; charset=utf-8");
        HttpResponse<String> compressed = get("/dashboard/main.js", "Accept-Encoding", "gzip, br");
        assertThat(compressed.headers().firstValue("content-encoding")).hasValue("gzip");
        assertThat(compressed.headers().firstValue("etag"))
                .isNotEqualTo(get("/dashboard/main.js").headers().firstValue("etag"));
        assertThat(get("/dashboard/../dashboard/main.js").statusCode()).isEqualTo(404);
        assertThat(get("/dashboard/uplot.LICENSE.txt").statusCode()).isEqualTo(404);
    }

    @Test
    void theLogSaysWhoActedAndWhoWasRefused() throws Exception {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(post("/api/mirror/standby-1/pause?password=hunter2&for=" + "x".repeat(500), bearer(TOKEN))
                            .statusCode())
                    .isEqualTo(200);
            assertThat(post("/api/mirror/standby-9/pause", bearer(TOKEN)).statusCode())
                    .isEqualTo(400);
            assertThat(post("/api/drain", bearer(TOKEN)).statusCode()).isEqualTo(500);
            for (int i = 0; i < TokenPace.FREE - 1; i++) {
                assertThat(post("/api/drain", bearer("guess-" + i)).statusCode())
                        .isEqualTo(401);
            }
            assertThat(get("/api/digests", bearer("guess")).statusCode()).isEqualTo(401);
            List<String> lines = log.text().lines().toList();
            assertThat(lines)
                    .filteredOn(line -> line.contains("admin action "))
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .contains("/api/mirror/standby-1/pause", "password=?", "standby=standby-1")
                                    .contains(" client=/127.0.0.1:")
                                    .endsWith(" status=200")
                                    .hasSizeLessThan(500),
                            line -> assertThat(line).contains("standby-9").endsWith(" status=400"),
                            line -> assertThat(line).contains("/api/drain").endsWith(" status=500"));
            assertThat(lines)
                    .filteredOn(line -> line.contains(" refused: "))
                    .singleElement()
                    .asString()
                    .contains("WARN", "/api/drain", "a wrong token", "client=/127.0.0.1:");
            assertThat(log.text()).doesNotContain("hunter2", "guess-", TOKEN);
        }
    }

    @Test
    void aViewGetsTheParametersOfItsPath() throws Exception {
        endpoints.viewOf("standbys/{name}/pages", parameters -> {
            if (!"standby-1".equals(parameters.get("name"))) {
                throw new IllegalArgumentException("there is no standby '" + parameters.get("name") + "'");
            }
            return Map.of("pages", 7);
        });
        assertThat(get("/api/standbys/standby-1/pages").body()).isEqualTo("{\"pages\":7}\n");
        HttpResponse<String> unknown = get("/api/standbys/standby-9/pages");
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).contains("there is no standby 'standby-9'");
        assertThat(get("/api").body()).contains("/api/standbys/{name}/pages");
        assertThat(get("/api/standbys/standby-1/other").statusCode()).isEqualTo(404);
    }

    @Test
    void headReturnsTheLengthWithoutABody() throws Exception {
        HttpResponse<String> head =
                send(HttpRequest.newBuilder(uri("/api/standbys")).method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValueAsLong("content-length"))
                .hasValue(get("/api/standbys").body().length());
    }

    @Test
    void notFoundListsThePathsAndMethodNotAllowedTheMethods() throws Exception {
        HttpResponse<String> unknown = get("/api/standbyes");
        assertThat(unknown.statusCode()).isEqualTo(404);
        assertThat(unknown.body()).contains("\"GET /api/standbys\"", "\"POST /api/reload\"", "\"GET /metrics\"");
        HttpResponse<String> read = get("/api/reload");
        assertThat(read.statusCode()).isEqualTo(405);
        assertThat(read.headers().firstValue("allow")).hasValue("POST");
        HttpResponse<String> written = post("/metrics");
        assertThat(written.statusCode()).isEqualTo(405);
        assertThat(written.headers().firstValue("allow")).hasValue("GET, HEAD");
    }

    @Test
    void actionsNeedTheToken() throws Exception {
        HttpResponse<String> without = post("/api/mirror/standby-1/pause");
        assertThat(without.statusCode()).isEqualTo(401);
        assertThat(without.headers().firstValue("www-authenticate")).isPresent();
        assertThat(post("/api/mirror/standby-1/pause", bearer(TOKEN + "x")).statusCode())
                .isEqualTo(401);
        assertThat(post("/api/mirror/standby-1/pause", "Authorization", "Basic " + TOKEN)
                        .statusCode())
                .isEqualTo(401);
        assertThat(paused).isEmpty();
        assertThat(post("/api/mirror/standby-1/pause?for=5s&standby=other", bearer(TOKEN))
                        .body())
                .isEqualTo("{\"paused\":true}\n");
        assertThat(paused).containsExactly(Map.of("standby", "standby-1", "for", "5s"));
        HttpResponse<String> wrong = post("/api/mirror/standby-9/pause", bearer(TOKEN));
        assertThat(wrong.statusCode()).isEqualTo(400);
        assertThat(wrong.body()).contains("there is no standby 'standby-9'");
        HttpResponse<String> failed = post("/api/drain", bearer(TOKEN));
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.body()).contains("disk full");
    }

    @Test
    void aNameInAPathMayHaveAnyCharacter() throws Exception {
        assertThat(post("/api/mirror/s1/skip/shop.a%2Fb%20c%25%2B+d%C3%A9%3F%60", bearer(TOKEN))
                        .body())
                .isEqualTo("{\"standby\":\"s1\",\"table\":\"shop.a/b c%++dé?`\"}\n");
    }

    @Test
    void withoutATokenActionsAndSqlTextAreDisabled() throws Exception {
        for (String none : new String[] {null, ""}) {
            restart(none, AdminServer.Limits.DEFAULT);
            HttpResponse<String> action = post("/api/reload", bearer(""));
            assertThat(action.statusCode()).isEqualTo(403);
            assertThat(action.body()).contains("admin.token");
            assertThat(get("/api/sessions").statusCode()).isEqualTo(403);
            assertThat(get("/api/digests").body()).isEqualTo("{\"digest\":\"abc\"}\n");
        }
    }

    @Test
    void sensitiveViewsShowTheTextOnlyWithTheToken() throws Exception {
        assertThat(get("/api/digests").body()).isEqualTo("{\"digest\":\"abc\"}\n");
        assertThat(get("/api/digests", bearer(TOKEN)).body()).isEqualTo("{\"sql\":\"SELECT 1\"}\n");
        assertThat(get("/api/digests", bearer("guess")).statusCode()).isEqualTo(401);
        assertThat(get("/api/sessions").statusCode()).isEqualTo(401);
        assertThat(get("/api/sessions", bearer(TOKEN)).body()).isEqualTo("{\"sql\":\"SELECT 2\"}\n");
    }

    @Test
    void aFailingViewIsReported() throws Exception {
        HttpResponse<String> broken = get("/api/broken");
        assertThat(broken.statusCode()).isEqualTo(500);
        assertThat(broken.body()).contains("no such thing");
        HttpResponse<String> nothing = get("/api/nothing-yet");
        assertThat(nothing.statusCode()).isEqualTo(503);
        assertThat(nothing.body()).contains("no standby can be queried");
        assertThat(get("/api/standbys").statusCode()).isEqualTo(200);
    }

    @Test
    void reportsTheAddressThatIsInUse() {
        assertThatThrownBy(() ->
                        AdminServer.start(server.address(), TOKEN, List.of(), null, registry, () -> reasons, endpoints))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(String.valueOf(server.address().getPort()))
                .hasMessageContaining("admin.address");
    }
}
