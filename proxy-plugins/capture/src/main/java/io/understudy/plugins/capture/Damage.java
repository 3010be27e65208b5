package io.understudy.plugins.capture;

import java.io.IOException;

/** Errors of files whose content is not what was written. */
final class Damage {
    private static final String REMEDY = ". What precedes is intact; take the file from another copy, or leave it out";

    private Damage() {}

    /** Returns the error of a frame. */
    static IOException of(String name, long frameAt, String what) {
        return new IOException(name + " is damaged in the frame at byte " + frameAt + ": " + what + REMEDY);
    }

    /** Returns the error of a file without frames. */
    static IOException ofText(String name, long at, long line, String what) {
        return new IOException(name + " is damaged at byte " + at + ", line " + line + ": " + what + REMEDY);
    }

    /** Returns the error of a file that ends too early although the capture went on in another one. */
    static IOException cut(String name, String how) {
        return new IOException(name + " " + how + ", but the same capture went on in a later file: statements between"
                + " them are missing. Take the file from another copy, or read the files one by one");
    }
}
