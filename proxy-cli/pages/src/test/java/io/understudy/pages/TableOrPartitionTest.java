package io.understudy.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TableOrPartitionTest {
    @Test
    void parsesNamesOfInnodbBufferPage() {
        assertThat(TableOrPartition.quoted("`shop`.`orders`")).isEqualTo(new TableOrPartition("shop", "orders", ""));
        assertThat(TableOrPartition.quoted("`shop`.`orders` /* Partition `p0` */"))
                .isEqualTo(new TableOrPartition("shop", "orders", "p0"));
        assertThat(TableOrPartition.quoted("`shop`.`orders` /* Partition `p 0`, Subpartition `s``1` */"))
                .isEqualTo(new TableOrPartition("shop", "orders", "p 0/s`1"));
        assertThat(TableOrPartition.quoted("`a.b`.`c``d`")).isEqualTo(new TableOrPartition("a.b", "c`d", ""));
        assertThat(TableOrPartition.quoted("SYS_TABLES")).isEqualTo(new TableOrPartition("", "SYS_TABLES", ""));
    }

    @Test
    void parsesNamesOfFilesAndStatistics() {
        assertThat(TableOrPartition.file("shop", "orders")).isEqualTo(new TableOrPartition("shop", "orders", ""));
        assertThat(TableOrPartition.file("shop", "orders#P#p0"))
                .isEqualTo(new TableOrPartition("shop", "orders", "p0"));
        assertThat(TableOrPartition.file("shop", "orders#p#p1"))
                .isEqualTo(new TableOrPartition("shop", "orders", "p1"));
        assertThat(TableOrPartition.file("shop", "orders#P#p0#SP#s1"))
                .isEqualTo(new TableOrPartition("shop", "orders", "p0/s1"));
        assertThat(TableOrPartition.file("caf@00e9", "a@002db")).isEqualTo(new TableOrPartition("café", "a-b", ""));
        assertThat(TableOrPartition.file("odd", "x@4z")).isEqualTo(new TableOrPartition("odd", "x@4z", ""));
    }

    @Test
    void parsesNamesThatAnOperatorWrites() {
        assertThat(TableOrPartition.written("shop.orders")).isEqualTo(new TableOrPartition("shop", "orders", ""));
        assertThat(TableOrPartition.written("shop.or.ders")).isEqualTo(new TableOrPartition("shop", "or.ders", ""));
        assertThat(TableOrPartition.written("`my.shop`.`or``de.rs`"))
                .isEqualTo(new TableOrPartition("my.shop", "or`de.rs", ""));
        assertThat(TableOrPartition.written("shop.`orders`")).isEqualTo(new TableOrPartition("shop", "orders", ""));
        assertThat(TableOrPartition.written("`a``.b`.c d")).isEqualTo(new TableOrPartition("a`.b", "c d", ""));
        for (String wrong :
                List.of("orders", ".orders", "shop.", "", "``.``", "`shop", "`shop`orders", "`shop.orders`")) {
            assertThat(TableOrPartition.written(wrong)).as(wrong).isNull();
        }
        for (String name : List.of("shop.orders", "`my.shop`.`or``de.rs`", "shop.a b'c")) {
            assertThat(Objects.requireNonNull(TableOrPartition.written(name)).written())
                    .isEqualTo(name);
        }
    }
}
