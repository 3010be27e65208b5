package io.understudy.pages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableNameTest {
    @Test
    void parsesNamesOfInnodbBufferPage() {
        assertThat(TableName.quoted("`shop`.`orders`")).isEqualTo(new TableName("shop", "orders", ""));
        assertThat(TableName.quoted("`shop`.`orders` /* Partition `p0` */"))
                .isEqualTo(new TableName("shop", "orders", "p0"));
        assertThat(TableName.quoted("`a.b`.`c``d`")).isEqualTo(new TableName("a.b", "c`d", ""));
        assertThat(TableName.quoted("SYS_TABLES")).isEqualTo(new TableName("", "SYS_TABLES", ""));
    }

    @Test
    void parsesNamesOfFilesAndStatistics() {
        assertThat(TableName.file("shop", "orders")).isEqualTo(new TableName("shop", "orders", ""));
        assertThat(TableName.file("shop", "orders#P#p0")).isEqualTo(new TableName("shop", "orders", "p0"));
        assertThat(TableName.file("shop", "orders#p#p1")).isEqualTo(new TableName("shop", "orders", "p1"));
        assertThat(TableName.file("caf@00e9", "a@002db")).isEqualTo(new TableName("café", "a-b", ""));
        assertThat(TableName.file("odd", "x@4z")).isEqualTo(new TableName("odd", "x@4z", ""));
    }
}
