package io.understudy.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.protocol.CommandCode;
import io.understudy.protocol.ServerStatus;
import io.understudy.testkit.Bytes;
import io.understudy.testkit.LeakCheck;
import io.understudy.testkit.Memory;
import io.understudy.testkit.session.Scripted;
import io.understudy.testkit.session.Watcher;
import org.junit.jupiter.api.extension.ExtendWith;

/** A session that has logged in, with a watcher of its callbacks. */
@ExtendWith(LeakCheck.class)
abstract class SessionHarness {
    static final int AC = ServerStatus.AUTOCOMMIT;
    static final byte[] QUERY = Bytes.command(CommandCode.QUERY, "SELECT a FROM t WHERE b = 1");

    final Watcher watcher = new Watcher(Watcher.ALL);

    Scripted loggedIn() {
        return new Scripted(Memory.direct(), watcher).loggedIn(Scripted.CLASSIC);
    }

    void over(Scripted scripted, String reason) {
        assertThat(scripted.session.ended()).isTrue();
        assertThat(scripted.closed(reason)).isEqualTo(1);
        assertThat(watcher.closings).containsExactly(reason);
        assertThat(scripted.server.closed()).isTrue();
        scripted.server.take();
        scripted.client(QUERY);
        scripted.server(QUERY);
        assertThat(scripted.server.take()).isEmpty();
        scripted.finish();
        assertThat(watcher.closings).hasSize(1);
    }
}
