package io.understudy.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SpaceNamesTest {
    private static final TableOrPartition ORDERS = new TableOrPartition("shop", "orders", "");
    private static final TableOrPartition DELETED = new TableOrPartition("shop", "_orders_del", "");
    private static final TableOrPartition GHOST = new TableOrPartition("shop", "_orders_gho", "");
    private static final TableOrPartition ITEMS = new TableOrPartition("shop", "items", "");

    /** The pool's first pages were read before the exchange, the last ones after it. */
    @Test
    void namesTheTablesOfAnExchangeAsTheyAreCalledAfterwards() {
        SpaceNames names = new SpaceNames(Map.of(7L, DELETED, 8L, ORDERS, 9L, ITEMS));
        names.saw(7, ORDERS);
        names.saw(8, GHOST);
        names.saw(9, ITEMS);
        names.saw(7, DELETED);
        names.saw(8, ORDERS);

        assertThat(names.of(7, ORDERS)).isEqualTo(DELETED);
        assertThat(names.of(7, DELETED)).isEqualTo(DELETED);
        assertThat(names.of(8, GHOST)).isEqualTo(ORDERS);
        assertThat(names.of(8, ORDERS)).isEqualTo(ORDERS);
        assertThat(names.of(9, ITEMS)).isEqualTo(ITEMS);
        assertThat(names.note()).contains("exchanged or renamed", "shop._orders_del, shop.orders");
    }

    @Test
    void leavesOutATableThatWasReplacedMeanwhile() {
        SpaceNames names = new SpaceNames(Map.of(8L, ORDERS));
        names.saw(7, ORDERS);
        names.saw(8, ORDERS);

        assertThat(names.of(7, ORDERS)).isNull();
        assertThat(names.of(8, ORDERS)).isEqualTo(ORDERS);
    }

    @Test
    void keepsTheServersNamesOtherwise() {
        SpaceNames names = new SpaceNames(Map.of(8L, new TableOrPartition("shop", "@1@2", "")));
        names.saw(8, ORDERS);
        names.saw(8, ORDERS);

        assertThat(names.of(8, ORDERS)).isEqualTo(ORDERS);
        assertThat(names.note()).isEmpty();
    }
}
