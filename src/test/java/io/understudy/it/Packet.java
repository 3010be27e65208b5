package io.understudy.it;

import java.nio.charset.StandardCharsets;

/** A physical packet. */
public record Packet(int sequence, byte[] payload) {
    int first() {
        return payload.length == 0 ? -1 : payload[0] & 0xFF;
    }

    public boolean isErr() {
        return first() == 0xFF;
    }

    public boolean isOk() {
        return first() == 0x00;
    }

    boolean isEof() {
        return first() == 0xFE && payload.length < 9;
    }

    int errorCode() {
        return isErr() ? (payload[1] & 0xFF) | (payload[2] & 0xFF) << 8 : 0;
    }

    /** Returns the text of an ERR packet. Before the login it has no SQLSTATE, so the text starts at once. */
    String errorText() {
        return new String(payload, 3, payload.length - 3, StandardCharsets.UTF_8);
    }

    public String hex() {
        StringBuilder text = new StringBuilder().append(sequence).append(':');
        for (byte b : payload) {
            text.append(Character.forDigit(b >> 4 & 15, 16)).append(Character.forDigit(b & 15, 16));
        }
        return text.toString();
    }
}
