package io.understudy.it;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Builds payloads. */
final class Payload {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Payload uint(long value, int size) {
        for (int i = 0; i < size; i++) {
            out.write((int) (value >> 8 * i));
        }
        return this;
    }

    Payload zeros(int count) {
        return raw(new byte[count]);
    }

    Payload text(String text) {
        return raw(text.getBytes(StandardCharsets.UTF_8));
    }

    Payload raw(byte[] bytes) {
        out.writeBytes(bytes);
        return this;
    }

    byte[] bytes() {
        return out.toByteArray();
    }
}
