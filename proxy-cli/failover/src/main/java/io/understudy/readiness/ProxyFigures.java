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
 * @param lost the black box's report on it, as {@code /api/lost} has it; null if there is none
 * @param witness as {@code /api/witness} has it; null if there is none
 * @param silence why it told nothing of the black box; null if it did, or need not
 */
public record ProxyFigures(
        @Nullable Map<String, Object> warmth,
        @Nullable List<Map<String, Object>> differences,
        @Nullable Map<String, Object> lost,
        @Nullable Map<String, Object> witness,
        @Nullable Silence silence) {

    /** No proxy was asked. */
    public static final ProxyFigures NONE = new ProxyFigures(null, null, null, null);

    static final Silence NOT_ASKED = new Silence(
            "no proxy was asked, as the file has no admin.address",
            "set admin.address and admin.token in the file, start the proxy with it, and repeat this");

    ProxyFigures(
            @Nullable Map<String, Object> warmth,
            @Nullable List<Map<String, Object>> differences,
            @Nullable Map<String, Object> lost,
            @Nullable Map<String, Object> witness) {
        this(warmth, differences, lost, witness, null);
    }

    /** Returns the figures of a proxy that told nothing. */
    public static ProxyFigures silent(Silence silence) {
        return new ProxyFigures(null, null, null, null, silence);
    }

    /**
     * Why a proxy told nothing.
     *
     * @param what happened
     * @param remedy what to do
     */
    public record Silence(String what, String remedy) {}

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

        /** Returns the response of {@code POST /api/lost/look?on=STANDBY}, or null if there is none. */
        @Nullable
        Object lost(String standby) throws IOException, InterruptedException;

        /**
         * Returns why there is none.
         *
         * @param failure of {@link #lost}; null if it returned none
         */
        default Silence silence(@Nullable Exception failure) {
            return new Silence(
                    "the proxy could not ask the standby in time"
                            + (failure == null ? "" : ": " + failure.getMessage()),
                    "repeat this; if it stays, see the proxy's log");
        }
    }

    /**
     * Asks a proxy about a standby. What it does not tell stays null.
     *
     * @param expected the figures that it has by its configuration
     */
    public static ProxyFigures of(Source source, String standby, StandbyFigures expected) throws InterruptedException {
        Map<String, Object> warmth = null;
        List<Map<String, Object>> differences = null;
        Map<String, Object> lost = null;
        Map<String, Object> witness = null;
        if (expected.coldAbove() != null) {
            warmth = map(ofStandby(asked(() -> source.view("standbys")), standby).stream()
                    .findFirst()
                    .map(row -> row.get("warmth"))
                    .orElse(null));
            Map<String, Object> mirror = map(asked(() -> source.view("mirror")));
            if (mirror != null) {
                Map<String, Object> verify = map(mirror.get("verify"));
                differences = verify == null ? null : ofStandby(verify.get("differences"), standby);
            }
        }
        Silence silence = null;
        if (expected.missing()) {
            try {
                lost = map(source.lost(standby));
                silence = lost == null ? source.silence(null) : null;
            } catch (IOException | IllegalStateException | IllegalArgumentException e) {
                silence = source.silence(e);
            }
            witness = map(asked(() -> source.view("witness")));
        }
        return new ProxyFigures(warmth, differences, lost, witness, silence);
    }

    private interface ViewQuestion {
        @Nullable
        Object ask() throws IOException, InterruptedException;
    }

    /** A proxy that does not run, or a plugin that cannot tell now, gives nothing. */
    private static @Nullable Object asked(ViewQuestion question) throws InterruptedException {
        try {
            return question.ask();
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
