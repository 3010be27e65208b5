package io.understudy.plugins.querylog.stream;

/** The fields that the events of one session share, without characters that end a field. */
record EventSession(String user, String address, long threadId) {
    EventSession(String user, String address, long threadId) {
        this.user = field(user);
        this.address = field(address);
        this.threadId = threadId;
    }

    /** Returns the name with {@code _} for blanks, brackets and control characters. */
    static String field(String name) {
        StringBuilder out = null;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if (c <= ' ' || c == 127 || c == '[' || c == ']') {
                out = out == null ? new StringBuilder(name) : out;
                out.setCharAt(i, '_');
            }
        }
        return out == null ? name : out.toString();
    }
}
