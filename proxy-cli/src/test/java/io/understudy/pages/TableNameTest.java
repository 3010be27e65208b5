package io.understudy.pages;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TableNameTest {
    @Test
    void parsesNamesOfInnodbBufferPage() {
        assertThat(TableName.quoted("`shop`.`orders`")).isEqualTo(new TableName("shop", "orders", ""));
        assertThat(TableName.quoted("`shop`.`orders` /* Partition `p0` */"))
                .isEqualTo(new TableName("shop", "orders", "p0"));
        assertThat(TableName.quoted("`shop`.`orders` /* Partition `p 0`, Subpartition `s``1` */"))
                .isEqualTo(new TableName("shop", "orders", "p 0/s`1"));
        assertThat(TableName.quoted("`a.b`.`c``d`")).isEqualTo(new TableName("a.b", "c`d", ""));
        assertThat(TableName.quoted("SYS_TABLES")).isEqualTo(new TableName("", "SYS_TABLES", ""));
    }

    @Test
    void parsesNamesOfFilesAndStatistics() {
        assertThat(TableName.file("shop", "orders")).isEqualTo(new TableName("shop", "orders", ""));
        assertThat(TableName.file("shop", "orders#P#p0")).isEqualTo(new TableName("shop", "orders", "p0"));
        assertThat(TableName.file("shop", "orders#p#p1")).isEqualTo(new TableName("shop", "orders", "p1"));
        assertThat(TableName.file("shop", "orders#P#p0#SP#s1")).isEqualTo(new TableName("shop", "orders", "p0/s1"));
        assertThat(TableName.file("caf@00e9", "a@002db")).isEqualTo(new TableName("café", "a-b", ""));
        assertThat(TableName.file("odd", "x@4z")).isEqualTo(new TableName("odd", "x@4z", ""));
    }

    @Test
    void parsesNamesThatAnOperatorWrites() {
        assertThat(TableName.written("shop.orders")).isEqualTo(new TableName("shop", "orders", ""));
        assertThat(TableName.written("shop.or.ders")).isEqualTo(new TableName("shop", "or.ders", ""));
        assertThat(TableName.written("`my.shop`.`or``de.rs`")).isEqualTo(new TableName("my.shop", "or`de.rs", ""));
        assertThat(TableName.written("shop.`orders`")).isEqualTo(new TableName("shop", "orders", ""));
        assertThat(TableName.written("`a``.b`.c d")).isEqualTo(new TableName("a`.b", "c d", ""));
        for (String wrong :
                List.of("orders", ".orders", "shop.", "", "``.``", "`shop", "`shop`orders", "`shop.orders`")) {
            assertThat(TableName.written(wrong)).as(wrong).isNull();
        }
        for (String name : List.of("shop.orders", "`my.shop`.`or``de.rs`", "shop.a b'c")) {
            assertThat(Objects.requireNonNull(TableName.written(name)).written())
                    .isEqualTo(name);
        }
    }
}
