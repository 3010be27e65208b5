package io.understudy.runtime;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import org.jspecify.annotations.Nullable;

/**
 * The version and commit of this build, as the jar's manifest tells them.
 *
 * @param version of the release, or {@code unpackaged} when run from class folders
 * @param commit abbreviated, or {@code unknown} when built outside a git checkout
 */
public record BuildInfo(String version, String commit) {
    private static final BuildInfo CURRENT = read();

    public static BuildInfo current() {
        return CURRENT;
    }

    /** For the admin endpoint. */
    public Map<String, Object> view() {
        return Map.of("version", version, "commit", commit);
    }

    void register(MeterRegistry registry) {
        Gauge.builder("understudy.build.info", () -> 1)
                .tag("version", version)
                .tag("commit", commit)
                .description("1; the labels tell the version and the commit of the build")
                .register(registry);
    }

    private static BuildInfo read() {
        URL self = BuildInfo.class.getResource("BuildInfo.class");
        if (self == null || !self.getProtocol().equals("jar")) {
            return new BuildInfo("unpackaged", "unknown");
        }
        String url = self.toString();
        try (var manifest = new URL(url.substring(0, url.indexOf("!/") + 2) + JarFile.MANIFEST_NAME).openStream()) {
            Attributes attributes = new Manifest(manifest).getMainAttributes();
            return new BuildInfo(
                    or(attributes.getValue(Attributes.Name.IMPLEMENTATION_VERSION), "unpackaged"),
                    or(attributes.getValue("Implementation-Build"), "unknown"));
        } catch (IOException e) {
            throw new UncheckedIOException("the program's jar has no readable manifest: " + url, e);
        }
    }

    private static String or(@Nullable String value, String absent) {
        // A build outside a git checkout leaves the placeholder as it is.
        return value == null || value.isEmpty() || value.startsWith("$") ? absent : value;
    }
}
