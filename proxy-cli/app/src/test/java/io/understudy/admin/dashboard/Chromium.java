package io.understudy.admin.dashboard;

import io.understudy.base.JsonReader;
import io.understudy.base.JsonWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullUnmarked;

/** A headless Chromium with one tab, steered over its DevTools protocol. */
@NullUnmarked // JSON without a schema: a missing part fails the test
final class Chromium implements AutoCloseable {

    private static final Pattern LISTENING = Pattern.compile("DevTools listening on ws://([^/]+)/");
    private static final int SECONDS = 30;

    private final Path profile;
    private final Process process;
    private final WebSocket socket;
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<Map<?, ?>>> waiting = new ConcurrentHashMap<>();
    private final List<String> errors = new CopyOnWriteArrayList<>();

    private Chromium(Path program) throws Exception {
        profile = Files.createTempDirectory("chromium");
        process = new ProcessBuilder(
                        program.toString(),
                        "--headless=new",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--hide-scrollbars",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .start();
        String address = listening();
        HttpClient client = HttpClient.newHttpClient();
        String tabs = client.send(
                        HttpRequest.newBuilder(URI.create("http://" + address + "/json"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
        String tab = ((List<?>) JsonReader.read(tabs))
                .stream()
                        .map(one -> (Map<?, ?>) one)
                        .filter(one -> "page".equals(one.get("type")))
                        .map(one -> String.valueOf(one.get("webSocketDebuggerUrl")))
                        .findFirst()
                        .orElseThrow();
        socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(tab), new Listener())
                .get(SECONDS, TimeUnit.SECONDS);
        call("Page.enable", Map.of());
        call("Runtime.enable", Map.of());
        call("Log.enable", Map.of());
    }

    /** Returns the program's path, if it is installed. */
    static Optional<Path> installed() {
        return Stream.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
                .map(Path::of)
                .filter(Files::isExecutable)
                .findFirst();
    }

    static Chromium start(Path program) throws Exception {
        return new Chromium(program);
    }

    private String listening() throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String line;
        while ((line = lines.readLine()) != null) {
            Matcher matcher = LISTENING.matcher(line);
            if (matcher.find()) {
                return matcher.group(1);
            }
        }
        throw new IOException("chromium ended before it listened");
    }

    /** Opens an address in a window of that size. */
    void open(String address, int width, int height, boolean dark) throws Exception {
        call(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
        Map<String, String> scheme = Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light");
        call("Emulation.setEmulatedMedia", Map.of("features", List.of(scheme)));
        // Otherwise a change of the fragment alone loads nothing.
        call("Page.navigate", Map.of("url", "about:blank"));
        errors.clear();
        call("Page.navigate", Map.of("url", address));
    }

    /** Returns the value of a JavaScript expression as text. */
    String evaluate(String expression) throws Exception {
        Map<?, ?> response =
                call("Runtime.evaluate", Map.of("expression", "String(" + expression + ")", "returnByValue", true));
        return String.valueOf(((Map<?, ?>) response.get("result")).get("value"));
    }

    void key(String key) throws Exception {
        int code = key.equals("Enter") ? 13 : 9;
        Map<String, Object> event = new LinkedHashMap<>(Map.of("key", key, "code", key, "windowsVirtualKeyCode", code));
        if (code == 13) {
            event.put("text", "\r");
        }
        event.put("type", "keyDown");
        call("Input.dispatchKeyEvent", event);
        event.put("type", "keyUp");
        call("Input.dispatchKeyEvent", event);
    }

    byte[] screenshot() throws Exception {
        Map<?, ?> response = call("Page.captureScreenshot", Map.of("format", "png"));
        return Base64.getDecoder().decode(String.valueOf(response.get("data")));
    }

    /** Returns exceptions, and what the browser refused, since the page was opened. */
    List<String> errors() {
        return List.copyOf(errors);
    }

    private Map<?, ?> call(String method, Map<String, ?> parameters) throws Exception {
        int id = ids.incrementAndGet();
        CompletableFuture<Map<?, ?>> result = new CompletableFuture<>();
        waiting.put(id, result);
        socket.sendText(JsonWriter.write(Map.of("id", id, "method", method, "params", parameters)), true)
                .get(SECONDS, TimeUnit.SECONDS);
        return result.get(SECONDS, TimeUnit.SECONDS);
    }

    private void received(String text) {
        Map<?, ?> message;
        try {
            message = (Map<?, ?>) JsonReader.read(text);
        } catch (IOException e) {
            errors.add("unreadable: " + e.getMessage());
            return;
        }
        if (message.get("id") instanceof Number id) {
            CompletableFuture<Map<?, ?>> result = waiting.remove(id.intValue());
            Object value = message.get("result");
            if (result != null) {
                result.complete(value instanceof Map<?, ?> map ? map : message);
            }
        } else if ("Runtime.exceptionThrown".equals(message.get("method"))
                || "Log.entryAdded".equals(message.get("method"))) {
            errors.add(text);
        }
    }

    @Override
    public void close() throws Exception {
        socket.abort();
        process.destroy();
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.walk(profile)) {
            all.sorted(Comparator.reverseOrder()).forEach(files::add);
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder parts = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket source, CharSequence data, boolean last) {
            parts.append(data);
            if (last) {
                received(parts.toString());
                parts.setLength(0);
            }
            source.request(1);
            return CompletableFuture.completedFuture(null);
        }
    }
}
