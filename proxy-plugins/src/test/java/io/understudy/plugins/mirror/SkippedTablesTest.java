package io.understudy.plugins.mirror;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.sql.TableName;
import java.util.List;
import org.junit.jupiter.api.Test;

class SkippedTablesTest {
    private static final List<TableName> ORDERS = List.of(new TableName("shop", "orders"));
    private final SkippedTables skipped = new SkippedTables();

    @Test
    void aSkipEndsByItself() {
        skipped.skip("shop.Orders", 0);
        assertThat(skipped.covers(ORDERS, SkippedTables.LEASE_NANOS - 1)).isTrue();
        assertThat(skipped.covers(ORDERS, SkippedTables.LEASE_NANOS)).isFalse();
        assertThat(skipped.view(SkippedTables.LEASE_NANOS)).isEmpty();
    }

    @Test
    void aRenewedSkipGoesOn() {
        skipped.skip("shop.orders", 0);
        skipped.skip("shop.orders", 10);
        assertThat(skipped.covers(ORDERS, SkippedTables.LEASE_NANOS + 9)).isTrue();
    }

    @Test
    void anUnskippedTableIsMirroredAtOnce() {
        skipped.skip("shop.orders", 0);
        skipped.unskip("SHOP.ORDERS");
        assertThat(skipped.covers(ORDERS, 1)).isFalse();
    }

    @Test
    void otherTablesAreMirrored() {
        skipped.skip("shop.orders", 0);
        assertThat(skipped.covers(List.of(new TableName("shop", "items")), 1)).isFalse();
        assertThat(skipped.covers(List.of(new TableName("shop", "items"), ORDERS.get(0)), 1))
                .isTrue();
    }

    @Test
    void namesWithoutASchemaAreRefused() {
        for (String name : List.of("orders", ".orders", "shop.", "")) {
            assertThatThrownBy(() -> skipped.skip(name, 0)).hasMessageContaining("schema.table");
        }
    }

    @Test
    void theirNumberIsBounded() {
        for (int i = 0; i < SkippedTables.MAX_TABLES; i++) {
            skipped.skip("s.t" + i, 0);
        }
        assertThatThrownBy(() -> skipped.skip("s.another", 1)).hasMessageContaining("1000");
        skipped.skip("s.t7", 1);
        skipped.skip("s.another", SkippedTables.LEASE_NANOS + 1);
    }
}
