package io.understudy.wire;

/** Gives packets other numbers than those they came with. */
public interface PacketNumbering {
    /** Returns the number of the next physical packet, called once for each, in order. */
    int number(int came);
}
