package io.understudy.readiness;

import io.understudy.plugin.StandbyFigures;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a running proxy knows of a standby.
 *
 * @param warmth the mirror's figures of {@code /api/standbys}; null if there are none
 * @param differences reads of which the standby has other rows, as {@code /api/mirror} lists them; null if the proxy
 *     was not asked, or compares none
 * @param lost the black box's report on it, as {@code /api/lost} has it, or why there is none
 * @param witness as {@code /api/witness} has it; null if there is none
 */
public record ProxyFigures(
        @Nullable Map<String, Object> warmth,
        @Nullable List<Map<String, Object>> differences,
        Known<Map<String, Object>> lost,
        @Nullable Map<String, Object> witness) {

    /** No proxy was asked. */
    public static final ProxyFigures NONE = silent(Known.unknown(
            "no proxy was asked, as the file has no admin.address",
            "set admin.address and admin.token in the file, start the proxy with it, and repeat this"));

    /** Returns the figures of a proxy that told nothing, for a reason. */
    public static ProxyFigures silent(Known<Map<String, Object>> lost) {
        return new ProxyFigures(null, null, lost, null);
    }

    /** Returns the black box's report; without one, that it came too late. */
    public static Known<Map<String, Object>> lost(@Nullable Object report) {
        Map<String, Object> lost = map(report);
        return lost != null
                ? Known.of(lost)
                : Known.unknown(
                        "the proxy could not ask the standby in time", "repeat this; if it stays, see the proxy's log");
    }

    /** A question to a running proxy, for a gate that asks it while it reads the servers. */
    public interface Question {
        /** Returns what the proxy knows; responds within half of the gate's time. */
        ProxyFigures ask() throws InterruptedException;
    }

    /** A way to a running proxy's admin endpoint, within the process or by HTTP. */
    public interface Source {
        /** Returns the content of {@code GET /api/NAME}, or null if there is none. */
        @Nullable
        Object view(String name) throws IOException, InterruptedException;

        /** Returns the response of {@code POST /api/lost/look?on=STANDBY}, or why there is none. */
        Known<Map<String, Object>> lost(String standby) throws InterruptedException;
    }

    /**
     * Asks a proxy about a standby. What it does not tell stays null.
     *
     * @param expected the figures that it has by its configuration
     */
    public static ProxyFigures of(Source source, String standby, StandbyFigures expected) throws InterruptedException {
        Map<String, Object> warmth = null;
        List<Map<String, Object>> differences = null;
        Known<Map<String, Object>> lost = NONE.lost();
        // First: the black boxes of several proxies may use the time up.
        Map<String, Object> witness = expected.missing() ? map(view(source, "witness")) : null;
        if (expected.coldAbove() != null) {
            warmth = map(ofStandby(view(source, "standbys"), standby).stream()
                    .findFirst()
                    .map(row -> row.get("warmth"))
                    .orElse(null));
            Map<String, Object> mirror = map(view(source, "mirror"));
            if (mirror != null) {
                Map<String, Object> verify = map(mirror.get("verify"));
                differences = verify == null ? null : ofStandby(verify.get("differences"), standby);
            }
        }
        if (expected.missing()) {
            lost = source.lost(standby);
        }
        return new ProxyFigures(warmth, differences, lost, witness);
    }

    /** A proxy that does not run, or a plugin that cannot tell now, gives nothing. */
    private static @Nullable Object view(Source source, String name) throws InterruptedException {
        try {
            return source.view(name);
        } catch (IOException | IllegalStateException | IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the rows of a list that are about a standby. */
    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> ofStandby(@Nullable Object rows, String name) {
        return rows instanceof List<?> list
                ? list.stream()
                        .filter(row -> row instanceof Map<?, ?> map && name.equals(map.get("standby")))
                        .map(row -> (Map<String, Object>) row)
                        .toList()
                : List.of();
    }

    @SuppressWarnings("unchecked")
    private static @Nullable Map<String, Object> map(@Nullable Object value) {
        return value instanceof Map<?, ?> ? (Map<String, Object>) value : null;
    }
}
