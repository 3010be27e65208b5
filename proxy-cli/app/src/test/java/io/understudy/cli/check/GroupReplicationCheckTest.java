package io.understudy.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.understudy.plugin.CheckedServer;
import org.junit.jupiter.api.Test;

class GroupReplicationCheckTest {
    @Test
    void aMemberIsRefusedByTheNameOfItsGroup() {
        assertThat(PrimaryCheck.groupReplication("primary", "aaaa-1"))
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
        assertThat(PrimaryCheck.groupReplication("primary", null)).isEmpty();
        assertThat(PrimaryCheck.groupReplication("primary", "")).isEmpty();
    }
}
