package io.understudy.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CheckedServer.Level;
import io.understudy.servers.Identity;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two configured standbys with one server id. */
class SameServerIdTest {
    private static @Nullable CheckResult of(Identity here, Identity there) {
        return StandbyCheck.sameServerId("standby b", here, "standby a", there);
    }

    @Test
    void onMariaDbItIsAnError() {
        Identity first = new Identity("", "3", "h:1:/a");
        CheckResult found = Objects.requireNonNull(of(new Identity("", "3", "h:2:/b"), first));
        assertThat(found.level()).isEqualTo(Level.ERROR);
        assertThat(found.line()).contains("standby b: has the server_id 3 of standby a", "error 4052", "START SLAVE");
        assertThat(of(new Identity("", "4", "h:2:/b"), first)).isNull();
        assertThat(of(first, first)).as("listed twice").isNull();
    }

    @Test
    void onMySqlBothReplicate() {
        CheckResult found =
                Objects.requireNonNull(of(new Identity("u1", "3", "h:1:/a"), new Identity("u2", "3", "h:2:/b")));
        assertThat(found.level()).isEqualTo(Level.WARNING);
    }
}
