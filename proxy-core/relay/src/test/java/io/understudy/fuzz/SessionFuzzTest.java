package io.understudy.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.InjectedStatement;
import io.understudy.plugin.Interest;
import io.understudy.protocol.Capabilities;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import org.junit.jupiter.api.Test;

/**
 * Whole sessions with arbitrary bytes from either side: they continue, or end once with a reason other than an internal
 * error.
 */
class SessionFuzzTest {
    private static final Corpus CORPUS = new Corpus("session");
    private static final long MEMORY_BOUND = 1 << 20;

    private static final long[] CAPABILITIES = {
        Scripted.CLASSIC,
        Scripted.CLASSIC | Capabilities.SESSION_TRACK | Capabilities.DEPRECATE_EOF,
        Scripted.CLASSIC
                | Capabilities.SESSION_TRACK
                | Capabilities.DEPRECATE_EOF
                | Capabilities.OPTIONAL_RESULTSET_METADATA
                | Capabilities.QUERY_ATTRIBUTES
                | Capabilities.CONNECT_ATTRS
                | Capabilities.PLUGIN_AUTH_LENENC_DATA,
        (Scripted.CLASSIC & ~Capabilities.LONG_PASSWORD)
                | Capabilities.SESSION_TRACK
                | Capabilities.DEPRECATE_EOF
                | Capabilities.MARIADB_PROGRESS
                | Capabilities.MARIADB_CACHE_METADATA
                | Capabilities.MARIADB_EXTENDED_METADATA
                | Capabilities.MARIADB_BULK_UNIT_RESULTS
    };
    private static final int[] INTERESTS = {
        0, Watcher.ALL, Watcher.ALL | Interest.BOUNDARY, Watcher.ALL | Interest.BOUNDARY | Interest.GTIDS
    };

    @AfterContainer
    static void nothingLeaked() {
        assertThat(LeakCheck.collect()).isEmpty();
    }

    @Test
    void corpus() {
        Fuzz.corpus(CORPUS, SessionFuzzTest::run);
    }

    @Property(shrinking = ShrinkingMode.OFF)
    void mutations(@ForAll long seed) {
        Fuzz.mutation(CORPUS, seed, SessionFuzzTest::run);
    }

    /**
     * The first byte selects the capabilities. Turns follow: a byte whose lowest bit selects the side, a length of two
     * bytes, and the bytes read at once.
     */
    private static void run(byte[] input) {
        int flags = input.length > 0 ? input[0] : 0;
        Watcher watcher = new Watcher(INTERESTS[flags >> 3 & 3]);
        watcher.next = new InjectedStatement("SET @a = 1", "test");
        Scripted scripted = new Scripted(Memory.heap(), watcher);
        if ((flags & 1) != 0) {
            scripted.loggedIn(CAPABILITIES[flags >> 1 & 3]);
        } else {
            scripted.connectServer();
        }
        int at = 1;
        while (at + 3 <= input.length) {
            int length = input[at + 1] & 0xFF | (input[at + 2] & 0xFF) << 8;
            byte[] bytes = Arrays.copyOfRange(input, at + 3, Math.min(input.length, at + 3 + length));
            if ((input[at] & 1) != 0) {
                scripted.client(bytes);
            } else {
                scripted.server(bytes);
            }
            at += 3 + length;
            assertThat(scripted.memory.used()).isLessThan(MEMORY_BOUND);
        }
        boolean ended = scripted.session.ended();
        assertThat(scripted.ends()).isEqualTo(ended ? 1 : 0);
        assertThat(scripted.closed("internal_error"))
                .as("sessions ended by a fault of the proxy's")
                .isZero();
        scripted.finish();
    }
}
