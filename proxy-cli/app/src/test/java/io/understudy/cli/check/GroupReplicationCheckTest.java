package io.understudy.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CheckedServer;
import org.junit.jupiter.api.Test;

class GroupReplicationCheckTest {
    @Test
    void aMemberIsRefusedByTheNameOfItsGroup() {
        assertThat(GroupReplicationCheck.of("primary", "aaaa-1"))
                .singleElement()
                .satisfies(found -> {
                    assertThat(found.level()).isEqualTo(CheckedServer.Level.ERROR);
                    assertThat(found.text())
                            .contains("Group Replication group aaaa-1")
                            .contains("not supported");
                });
    }

    @Test
    void othersAreNot() {
        assertThat(GroupReplicationCheck.of("primary", null)).isEmpty();
        assertThat(GroupReplicationCheck.of("primary", "")).isEmpty();
    }
}
