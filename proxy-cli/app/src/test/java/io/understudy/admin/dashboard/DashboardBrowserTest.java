package io.understudy.admin.dashboard;

import static io.understudy.plugins.mirror.warmth.WarmthState.NO_PROBES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
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
            situation
                    .part(situation.views.get("standbys"), 0, "warmth")
                    .putAll(Map.of("state", NO_PROBES.label(), "why", NO_PROBES.why()));
            situation.part(situation.views.get("standbys"), 0, "warmth").put("warmth", null);
            show(situation.start(3), 1280, false);
            isInOrder("idle");
            assertThat(answer(0)).contains("OK", "Yes: nobody is connected");
            assertThat(answer(1)).contains("Unknown", NO_PROBES.why());
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
            List.of("mirror", "commits", "domains", "steering", "digests").forEach(situation.views::remove);
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

    private static final String STANDBY_BADGE =
            "[...document.querySelectorAll('#main h3')].find(h => h.innerText.includes('standby-1')).innerText";

    @Test
    void standbyDown() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.gauges.put("understudy.standby.up", 0.0);
            situation.gauges.put("understudy.standby.lag.seconds", Double.NaN);
            Map<String, Object> standby = situation.part(situation.views.get("standbys"), 0, "state");
            standby.replaceAll((key, value) -> null);
            standby.putAll(Map.of("reachable", false, "problem", "connection refused"));
            situation.part(situation.views.get("mirror"), "standbys", 0).put("state", "paused_standby_down");
            show(situation.start(3), 390, true);
            isInOrder("standby down");
            assertThat(answer(1)).contains("Problem", "it does not respond, nothing can take over");
            assertThat(browser.evaluate("document.getElementById('standby').innerText"))
                    .contains("connection refused", "Start it");
            assertThat(browser.evaluate("document.title")).startsWith("✕");
            show(browser.evaluate("location.origin") + "/#/mirror", 1280, true);
            assertThat(browser.evaluate(STANDBY_BADGE))
                    .as("as the overview says")
                    .contains("Problem");
        }
    }

    private static void judged(String contained) {
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(answer(1)).contains(contained));
    }

    /** A warm standby is no "yes" where the gate says no. */
    @Test
    void whatTheGateSaysIsTheAnswer() throws Exception {
        Map<String, Map<String, Object>> gates = Map.of(
                "No: replicates", Map.of("verdict", "no", "findings", List.of(finding("replicates", "blocks"))),
                "Yes, with findings (settings)",
                        Map.of("verdict", "findings", "findings", List.of(finding("settings", "warns"))),
                "Not known: primary", Map.of("verdict", "unknown", "findings", List.of(finding("primary", "unknown"))),
                "Yes: 95 % warm", Map.of("verdict", "yes", "findings", List.of()));
        for (Map.Entry<String, Map<String, Object>> gate : gates.entrySet()) {
            try (DashboardScene situation = new DashboardScene()) {
                situation.part(situation.views.get("standbys"), 0, "warmth").put("warmth", 0.95);
                situation.readiness.putAll(gate.getValue());
                show(situation.start(3), 1280, false);
                judged(gate.getKey());
                isInOrder(gate.getKey());
                kept(gate.getValue().get("verdict") + "-by-gate");
            }
        }
    }

    private static Map<String, Object> finding(String check, String severity) {
        return Map.of("check", check, "severity", severity);
    }

    /** The newest probe counts before the gate is asked again. */
    @Test
    void stoppedReplicationAndLagAreNoMatterOfWarmth() throws Exception {
        Map<String, Map<String, Object>> states = Map.of(
                "No: replication is stopped", Map.of("applierStopped", true),
                "No: it is 107 s behind", Map.of("lagSeconds", 107.0));
        for (Map.Entry<String, Map<String, Object>> state : states.entrySet()) {
            try (DashboardScene situation = new DashboardScene()) {
                situation.part(situation.views.get("standbys"), 0, "warmth").put("warmth", 1.0);
                situation.part(situation.views.get("standbys"), 0, "state").putAll(state.getValue());
                show(situation.start(3), 1280, false);
                judged(state.getKey());
                assertThat(answer(1)).contains("Problem");
                assertThat(browser.evaluate("document.getElementById('standby').innerText"))
                        .doesNotContain("Mirror more");
                kept(state.getValue().keySet().iterator().next());
            }
        }
    }

    @Test
    void aRefusedAccountIsNamedWithItsRemedy() throws Exception {
        Map<String, Object> account = Map.of(
                "key",
                "standbys",
                "broken",
                true,
                "code",
                1045,
                "error",
                "Access denied for user 'm'@'proxy' (using password: YES)",
                "remedy",
                "ALTER USER 'm'@'%' IDENTIFIED BY '…'",
                "affected",
                List.of("the standby's health"));
        try (DashboardScene situation = new DashboardScene()) {
            Map<String, Object> standby = situation.part(situation.views.get("standbys"), 0);
            situation.part(standby, "state").replaceAll((key, value) -> null);
            situation.part(standby, "state").putAll(Map.of("reachable", false, "problem", "it refuses the login"));
            standby.put("account", account);
            situation.views.put("primary", Map.of("address", "db1:3306", "reachable", true, "account", account));
            situation.part(situation.views.get("commits"), "semisync").put("state", "unknown");
            situation.part(situation.views.get("commits"), "exposure").put("expected", true);
            situation.warnings.add("primary db1:3306 refuses the account of primary.monitor ('m') with error 1045");
            show(situation.start(3), 1280, false);
            judged("Not known: it refuses the login of the proxy's account (error 1045)");
            assertThat(answer(1)).doesNotContain("respond");
            assertThat(answer(0)).contains("Yes, but", "error 1045");
            assertThat(answer(2)).contains("unacknowledged commits unknown");
            assertThat(main()).contains("ALTER USER 'm'@'%' IDENTIFIED BY", "Access denied for user 'm'");
            isInOrder("refused account");
            kept("account");
        }
    }

    @Test
    void aWitnessThatHasWithdrawnIsAProblem() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.views.put(
                    "witness",
                    Map.of(
                            "state", "withdrawn",
                            "reason", "disk_full",
                            "cause", "No space left on device",
                            "remedy", "make room on the disk",
                            "mode", "disk",
                            "sinceSeconds", 75,
                            "acknowledged", 4711));
            show(situation.start(3), 1280, false);
            assertThat(answer(2)).contains("Yes: witness withdrawn (disk full)");
            assertThat(main()).contains("make room on the disk", "No space left on device");
        }
    }

    @Test
    void halfOfTheReadsDroppedIsNotALittle() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.dropped = 540;
            situation.mirrored = 460;
            show(situation.start(30), 1280, false);
            isInOrder("dropped");
            assertThat(answer(2)).contains("Problem", "Yes: dropped from the mirror", "54 % of the reads for it");
            kept("dropped");
        }
    }

    @Test
    void aRefusedConfigurationIsOnTheOverview() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.warnings.add("the newest configuration could not be applied in full");
            show(situation.start(3), 1280, false);
            isInOrder("refused configuration");
            assertThat(answer(0)).contains("Attention", "Yes, but", "the newest configuration could not be applied");
            kept("configuration");
        }
    }

    /** Keeps a picture to look at: {@code -Dunderstudy.states=FOLDER}. */
    private static void kept(String name) throws Exception {
        String folder = System.getProperty("understudy.states");
        if (folder != null) {
            Files.write(Files.createDirectories(Path.of(folder)).resolve(name + ".png"), browser.screenshot());
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

    private static String main() throws Exception {
        return browser.evaluate("document.getElementById('main').innerText");
    }

    /** A time without acknowledgement, and a conflict, are a warning for an hour. */
    @Test
    void whatHappenedMoreThanAnHourAgoIsHistory() throws Exception {
        for (long seconds : new long[] {600, 86_400}) {
            try (DashboardScene situation = new DashboardScene()) {
                Map<String, Object> exposure = situation.part(situation.views.get("commits"), "exposure");
                Map<String, Object> window =
                        Map.of("begin", situation.ago(seconds + 2), "end", situation.ago(seconds), "commits", 3);
                exposure.putAll(Map.of("expected", true, "unacknowledged", 3, "past", List.of(window)));
                situation.part(situation.views.get("domains"), "conflicts").put("transaction", 5);
                show(situation.start(3), 1280, false);
                isInOrder("exposure " + seconds + " s ago");
                if (seconds < 3600) {
                    assertThat(answer(2)).contains("A little: unacknowledged commits 3 in the last hour");
                } else {
                    assertThat(answer(2)).contains("OK", "No: every commit");
                    assertThat(browser.evaluate("document.getElementById('lost').innerText"))
                            .contains("3 since the start, the last until", "transaction 5");
                    assertThat(browser.evaluate("document.title")).doesNotStartWith("!");
                }
            }
        }
    }

    @Test
    void aConflictIsAWarningForAnHour() throws Exception {
        for (int samples : new int[] {30, 400}) {
            try (DashboardScene situation = new DashboardScene()) {
                situation.conflictAgo = samples;
                situation.part(situation.views.get("domains"), "conflicts").put("transaction", 1);
                show(situation.start(420), 1280, false);
                isInOrder("conflict " + samples + " samples ago");
                assertThat(answer(2)).contains(samples < 360 ? "domain conflicts 1 in the last hour" : "No: every");
            }
        }
    }

    @Test
    void theSteeringPageSaysWhereToAskWhatHeldUpTheStandbys() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            String address = situation.start(3);
            for (int width : new int[] {390, 1280}) {
                show(address + "#/steering", width, false);
                isInOrder("steering at " + width);
                assertThat(main())
                        .contains("understudy report steering -c FILE", "alter: two-phase")
                        .doesNotContain("{\"");
                browser.evaluate("document.querySelector('[data-copy]').click()");
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> !browser.evaluate("document.getElementById('announcement').textContent")
                                .isEmpty());
            }
        }
    }

    /** A frame leaves out what is longer than 64 KiB; the page asks for it instead of saying that it is not there. */
    @Test
    void aViewThatIsTooLongForAFrameIsAskedFor() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            situation.part(situation.views.get("mirror")).put("padding", "x".repeat(70_000));
            show(situation.start(3) + "#/mirror", 1280, false);
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(
                            () -> assertThat(main()).contains("hot-tables").doesNotContain("To switch it on"));
        }
    }

    /** From the top of the page to another one, to a button and into the raw JSON, without a mouse. */
    @Test
    void everythingIsReachedByKeyboard() throws Exception {
        try (DashboardScene situation = new DashboardScene()) {
            show(situation.start(3), 1280, false);
            tabTo("document.activeElement.getAttribute('href') === '#/steering'");
            browser.key("Enter");
            await().atMost(Duration.ofSeconds(10)).until(() -> main().startsWith("Steering"));
            assertThat(browser.evaluate("document.activeElement.id"))
                    .as("the focus moved along")
                    .isEqualTo("main");
            tabTo("document.activeElement.hasAttribute('data-copy')");
            browser.key("Enter");
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> !browser.evaluate("document.getElementById('announcement').textContent")
                            .isEmpty());
            tabTo("document.activeElement.nodeName === 'SUMMARY' && document.activeElement.closest('.raw') !== null");
            browser.key("Enter");
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> browser.evaluate("document.querySelector('.raw[open] pre').textContent")
                            .contains("\"mode\""));
        }
    }

    private static void tabTo(String found) throws Exception {
        for (int tabs = 0; tabs < 60; tabs++) {
            browser.key("Tab");
            if (browser.evaluate(found).equals("true")) {
                return;
            }
        }
        throw new AssertionError("60 tabs do not reach " + found);
    }

    /** Takes the pictures of docs/dashboard.md: {@code -Dunderstudy.screenshots=docs/dashboard}. */
    @Test
    @EnabledIfSystemProperty(named = "understudy.screenshots", matches = ".+")
    void pictures() throws Exception {
        Path folder = Files.createDirectories(Path.of(System.getProperty("understudy.screenshots", "")));
        try (DashboardScene situation = new DashboardScene()) {
            situation.waves = 0.2;
            String address = situation.start(90);
            for (String page : PAGES) {
                picture(address + "#/" + page, false, folder.resolve(page.isEmpty() ? "overview.png" : page + ".png"));
            }
            picture(address, true, folder.resolve("overview-dark.png"));
        }
    }

    private static void picture(String address, boolean dark, Path file) throws Exception {
        show(address, 1280, dark);
        isInOrder(file.toString());
        await().atMost(Duration.ofSeconds(20))
                .until(() -> browser.evaluate("[...document.querySelectorAll('.plot')].every(plot => plot.hidden"
                                + " || plot.firstChild !== null)")
                        .equals("true"));
        byte[] small = PalettePng.of(browser.screenshot());
        assertThat(small.length).as("%s, bytes", file).isLessThan(120_000);
        Files.write(file, small);
    }
}
