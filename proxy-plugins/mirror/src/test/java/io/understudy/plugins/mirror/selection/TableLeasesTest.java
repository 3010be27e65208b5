package io.understudy.plugins.mirror.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.understudy.sql.TableName;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableLeasesTest {
    private static final List<TableName> ORDERS = List.of(new TableName("shop", "orders"));
    private final TableLeases leases = new TableLeases();

    @Test
    void aLeaseEndsByItself() {
        leases.renew("shop.Orders", 0);
        assertThat(leases.covers(ORDERS, TableLeases.LEASE_NANOS - 1)).isTrue();
        assertThat(leases.covers(ORDERS, TableLeases.LEASE_NANOS)).isFalse();
        assertThat(leases.view(TableLeases.LEASE_NANOS)).isEmpty();
    }

    @Test
    void aRenewedLeaseGoesOn() {
        leases.renew("shop.orders", 0);
        leases.renew("shop.orders", 10);
        assertThat(leases.covers(ORDERS, TableLeases.LEASE_NANOS + 9)).isTrue();
    }

    @Test
    void anUnleasesTableIsMirroredAtOnce() {
        leases.renew("shop.orders", 0);
        leases.end("SHOP.ORDERS");
        assertThat(leases.covers(ORDERS, 1)).isFalse();
    }

    @Test
    void otherTablesAreNotCovered() {
        leases.renew("shop.orders", 0);
        assertThat(leases.covers(List.of(new TableName("shop", "items")), 1)).isFalse();
        assertThat(leases.covers(List.of(new TableName("shop", "items"), ORDERS.get(0)), 1))
                .isTrue();
    }

    @Test
    void statementsAreCountedForTheTablesThatTheyRead() {
        assertThat(leases.renew("shop.orders", 0)).isTrue();
        leases.count(ORDERS);
        leases.count(List.of(new TableName("shop", "items"), new TableName("SHOP", "orders")));
        leases.count(List.of(new TableName("shop", "items")));
        assertThat(leases.renew("shop.orders", 1)).isFalse();
        assertThat(leases.view(1)).containsExactly(Map.entry("shop.orders", 2L));
    }

    @Test
    void namesWithoutASchemaAreRefused() {
        for (String name : List.of("orders", ".orders", "shop.", "")) {
            assertThatThrownBy(() -> leases.renew(name, 0)).hasMessageContaining("schema.table");
        }
    }

    @Test
    void theirNumberIsBounded() {
        for (int i = 0; i < TableLeases.MAX_TABLES; i++) {
            leases.renew("s.t" + i, 0);
        }
        assertThatThrownBy(() -> leases.renew("s.another", 1)).hasMessageContaining("1000");
        leases.renew("s.t7", 1);
        leases.renew("s.another", TableLeases.LEASE_NANOS + 1);
    }
}
