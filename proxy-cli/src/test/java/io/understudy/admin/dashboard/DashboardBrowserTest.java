package io.understudy.admin.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * The page in a real browser. Runs with {@code -Dunderstudy.browser=true}; skipped, and said so, where Chromium is not
 * installed.
 */
@EnabledIfSystemProperty(
        named = "understudy.browser",
        matches = "true",
        disabledReason = "runs with -Dunderstudy.browser=true")
@Timeout(300)
class DashboardBrowserTest {

    private static final List<String> PAGES =
            List.of("", "mirror", "commits", "steering", "sessions", "digests", "events");
    private static final String SETTLED = "document.querySelector('h2') !== null"
            + " && !/asking|Waiting for the first/.test(document.getElementById('main').innerText)";

    private static Chromium browser;

    @BeforeAll
    static void open() throws Exception {
        Optional<Path> program = Chromium.installed();
        Assumptions.assumeTrue(program.isPresent(), "no Chromium is installed: the page was not tried in a browser");
        browser = Chromium.start(program.get());
    }

    @AfterAll
    static void close() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private static void show(String address, int width, boolean dark) throws Exception {
        browser.open(address, width, 720, dark);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> browser.evaluate(SETTLED).equals("true"));
    }

    private static String answer(int number) throws Exception {
        return browser.evaluate("document.querySelectorAll('.answers li')[" + number + "].innerText");
    }

    private static void isInOrder(String what) throws Exception {
        assertThat(browser.errors()).as(what).isEmpty();
        assertThat(browser.evaluate("document.body.innerText"))
                .as(what)
                .doesNotContain("NaN", "undefined", "null", "[object");
        assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"))
                .as("%s fits into the width", what)
                .isEqualTo("true");
        assertThat(browser.evaluate(
                        "[...document.querySelectorAll('input, select')].every(field => field.labels.length > 0)"))
                .as("%s labels its fields", what)
                .isEqualTo("true");
        assertThat(browser.evaluate(
                        "[...document.querySelectorAll('[role=img]')].every(one => one.hidden || one.ariaLabel)"))
                .as("%s says its charts in words", what)
                .isEqualTo("true");
    }

    @Test
    void everyPageFitsEveryScreen() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            String address = situation.start(90);
            for (int width : new int[] {390, 1280, 2560}) {
                for (String page : PAGES) {
                    show(address + "#/" + page, width, width == 1280);
                    isInOrder(page + " at " + width);
                }
            }
        }
    }

    @Test
    void nothingHappening() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.commandsASecond = 0;
            situation.gauges.put("understudy.sessions", 0.0);
            situation.gauges.put("understudy.standby.warmth", Double.NaN);
            situation.part(situation.views.get("standbys"), 0, "warmth").putAll(Map.of("state", "no_probes"));
            situation.part(situation.views.get("standbys"), 0, "warmth").put("warmth", null);
            show(situation.start(3), 1280, false);
            isInOrder("idle");
            assertThat(answer(0)).contains("OK", "Yes: nobody is connected");
            assertThat(answer(1)).contains("Unknown", "no mirrored SELECT has been measured yet");
            assertThat(answer(3)).contains("Nobody commits now");
        }
    }

    @Test
    void secondsThatAreNotCertainAreAnInterval() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            Map<String, Object> forecast = situation.part(situation.views.get("standbys"), 0, "warmth", "forecast");
            forecast.put("secondsOverCapacity", null);
            forecast.putAll(Map.of("secondsOverCapacityLow", 6, "secondsOverCapacityHigh", 40));
            forecast.put("secondsUntilWarm", null);
            forecast.putAll(Map.of("secondsUntilWarmLow", 30, "secondsUntilWarmHigh", "more than a day"));
            show(situation.start(3), 1280, false);
            isInOrder("intervals");
            assertThat(answer(1)).contains("over capacity for 6 s to 40 s");
            assertThat(browser.evaluate("document.getElementById('standby').innerText"))
                    .contains("6 s to 40 s", "at least 30 s");
        }
    }

    @Test
    void withoutPluginsThePageSaysHowToSwitchThemOn() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            List.of("mirror", "commits", "domains").forEach(situation.views::remove);
            situation.part(situation.views.get("standbys"), 0).remove("warmth");
            situation.gauges.keySet().removeIf(name -> name.contains("mirror") || name.contains("warmth"));
            String address = situation.start(3);
            for (String page : List.of("", "mirror", "commits", "steering", "digests")) {
                show(address + "#/" + page, 1280, false);
                isInOrder("bare " + page);
                assertThat(browser.evaluate("document.getElementById('main').innerText"))
                        .contains("under plugins in the configuration");
            }
        }
    }

    @Test
    void standbyDown() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.gauges.put("understudy.standby.up", 0.0);
            situation.gauges.put("understudy.standby.lag.seconds", Double.NaN);
            Map<String, Object> standby = situation.part(situation.views.get("standbys"), 0, "state");
            standby.replaceAll((key, value) -> null);
            standby.putAll(Map.of("reachable", false, "problem", "connection refused"));
            show(situation.start(3), 390, true);
            isInOrder("standby down");
            assertThat(answer(1)).contains("Problem", "it does not respond, nothing can take over");
            assertThat(browser.evaluate("document.getElementById('standby').innerText"))
                    .contains("connection refused", "Start it");
            assertThat(browser.evaluate("document.title")).startsWith("✕");
        }
    }

    @Test
    void primaryGone() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.gauges.put("understudy.primary.up", 0.0);
            situation.reasons.add("primary: connection refused");
            show(situation.start(3), 1280, true);
            isInOrder("primary gone");
            assertThat(answer(0)).contains("Problem", "No: primary: connection refused");
            show(browser.evaluate("location.origin") + "/#/events", 1280, true);
            assertThat(browser.evaluate("document.querySelector('tbody').innerText"))
                    .contains("does not respond");
        }
    }

    @Test
    void fiveThousandSessionsAndHostileNames() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            List<Map<String, Object>> rows = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                rows.add(Map.of("id", i, "user", "<img src=x onerror=document.title='hacked'>", "phase", "relaying"));
            }
            situation.views.put("sessions", Map.of("count", 5000, "limit", 10000, "draining", false, "sessions", rows));
            show(situation.start(3) + "#/sessions", 1280, false);
            isInOrder("sessions");
            assertThat(browser.evaluate("document.querySelectorAll('tbody tr').length"))
                    .isEqualTo("200");
            assertThat(browser.evaluate("document.getElementById('main').innerText"))
                    .contains("1,000 of 5,000", "<img src=x");
            assertThat(browser.evaluate("document.images.length")).isEqualTo("0");
        }
    }

    @Test
    void aLongNightIsThereAfterAReload() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            String address = situation.start(SampleHistory.SLOTS);
            show(address, 1280, false);
            browser.evaluate("sessionStorage.setItem('range', '24h')");
            show(address, 1280, false);
            isInOrder("24 hours");
            assertThat(browser.evaluate("document.querySelector('[role=img]').ariaLabel"))
                    .contains("last 24 hours: commands/s 1,000/s");
            browser.evaluate("sessionStorage.clear()");
        }
    }

    @Test
    void theKeyboardReachesTheContentFirst() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            show(situation.start(3), 1280, false);
            browser.key("Tab");
            assertThat(browser.evaluate("document.activeElement.className")).isEqualTo("skip");
            browser.key("Tab");
            browser.key("Tab");
            assertThat(browser.evaluate("document.activeElement.innerText")).isEqualTo("Overview");
        }
    }

    /** Takes a picture of a running proxy's dashboard, for docs/dashboard.png. */
    @Test
    @EnabledIfSystemProperty(named = "understudy.screenshot", matches = ".+")
    void screenshot() throws Exception {
        show(System.getProperty("understudy.screenshot.of", ""), 1280, false);
        isInOrder("the picture");
        browser.screenshot(Path.of(System.getProperty("understudy.screenshot", "")));
    }
}
