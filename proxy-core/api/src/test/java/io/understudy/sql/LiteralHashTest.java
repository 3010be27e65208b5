package io.understudy.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LiteralHashTest {
    /** The authors' test vector of eight bytes: key 00 to 0f, message 00 to 07. */
    @Test
    void isSipHash() {
        LiteralHash hash = new LiteralHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        assertThat(hash.applyAsLong(0x0706050403020100L)).isEqualTo(0x93f5f5799a932462L);
    }

    @Test
    void hasAKeyOfItsOwn() {
        assertThat(LiteralHash.withRandomKey().applyAsLong(1))
                .isNotEqualTo(LiteralHash.withRandomKey().applyAsLong(1));
    }
}
