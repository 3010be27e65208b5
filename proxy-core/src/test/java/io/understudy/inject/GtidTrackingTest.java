package io.understudy.inject;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.understudy.plugin.InjectionResult;
import io.understudy.plugin.ServerFlavor;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class GtidTrackingTest {
    private final GtidTracking tracking = new GtidTracking(ServerFlavor.MARIADB);

    private void clientSetsTheList(long number) {
        ByteBuf text =
                Unpooled.copiedBuffer("\3SET session_track_system_variables='autocommit'", StandardCharsets.ISO_8859_1);
        tracking.clientSets(number, text, 0, text.readableBytes());
    }

    @Test
    void waitsForTheStatementAfterTheOneThatSetsTheList() {
        clientSetsTheList(1);
        assertThat(tracking.take(1)).isNull();
        assertThat(tracking.take(2)).isNotNull();
    }

    @Test
    void losesNoStatementWhenTheListWasSetWhereNothingCouldBeInjected() {
        // A driver pipelines the statements with which it begins, so nobody asks before the one that sets the list.
        clientSetsTheList(2);
        assertThat(tracking.take(3)).isNotNull();
        tracking.reported("autocommit,session_track_system_variables,last_gtid");
        tracking.done(InjectionResult.OK);
        assertThat(tracking.wants()).isFalse();
        assertThat(tracking.addedVariables()).contains("last_gtid");
    }
}
