package io.understudy.plugins.binlog;

import java.util.HexFormat;

/** UUIDs as MySQL writes them: 8-4-4-4-12 lower-case hexadecimal digits. */
final class Uuids {
    private static final HexFormat HEX = HexFormat.of();
    private static final int[] DASHES = {4, 6, 8, 10};

    private Uuids() {}

    static String format(byte[] bytes, int offset) {
        String hex = HEX.formatHex(bytes, offset, offset + 16);
        StringBuilder out = new StringBuilder(36);
        int from = 0;
        for (int dash : DASHES) {
            out.append(hex, from, dash * 2).append('-');
            from = dash * 2;
        }
        return out.append(hex, from, hex.length()).toString();
    }

    /** @throws IllegalArgumentException if the text is no UUID */
    static byte[] parse(String text) {
        return HEX.parseHex(text.trim().replace("-", ""));
    }
}
