package io.understudy.admin.dashboard;

import java.awt.image.BufferedImage;
import java.awt.image.IndexColorModel;
import java.awt.image.WritableRaster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;

/** Reduces a picture to its 256 most frequent colours, so that it takes a third of the room in the repository. */
final class PalettePng {
    private static final int COLOURS = 256;

    private PalettePng() {}

    static byte[] of(byte[] png) throws IOException {
        BufferedImage full = ImageIO.read(new ByteArrayInputStream(png));
        int width = full.getWidth();
        int[] pixels = full.getRGB(0, 0, width, full.getHeight(), null, 0, width);
        Map<Integer, Integer> counts = new HashMap<>();
        for (int pixel : pixels) {
            counts.merge(pixel & 0xFFFFFF, 1, Integer::sum);
        }
        List<Integer> frequent = new ArrayList<>(counts.keySet());
        frequent.sort(Comparator.comparing((Integer colour) -> counts.getOrDefault(colour, 0))
                .reversed());
        List<Integer> palette = frequent.subList(0, Math.min(COLOURS, frequent.size()));
        byte[][] parts = new byte[3][palette.size()];
        for (int i = 0; i < palette.size(); i++) {
            for (int part = 0; part < parts.length; part++) {
                parts[part][i] = (byte) (palette.get(i) >> 8 * (2 - part));
            }
        }
        IndexColorModel model = new IndexColorModel(8, palette.size(), parts[0], parts[1], parts[2]);
        BufferedImage indexed = new BufferedImage(width, full.getHeight(), BufferedImage.TYPE_BYTE_INDEXED, model);
        WritableRaster raster = indexed.getRaster();
        Map<Integer, Integer> nearest = new HashMap<>();
        for (int i = 0; i < pixels.length; i++) {
            int index = nearest.computeIfAbsent(pixels[i] & 0xFFFFFF, colour -> nearest(colour, palette));
            raster.setSample(i % width, i / width, 0, index);
        }
        return written(indexed);
    }

    private static int nearest(int colour, List<Integer> palette) {
        int best = 0;
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < palette.size() && least > 0; i++) {
            int distance = 0;
            for (int shift = 0; shift <= 16; shift += 8) {
                int difference = (colour >> shift & 0xFF) - (palette.get(i) >> shift & 0xFF);
                distance += difference * difference;
            }
            if (distance < least) {
                least = distance;
                best = i;
            }
        }
        return best;
    }

    private static byte[] written(BufferedImage image) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageWriter writer = ImageIO.getImageWritersByFormatName("png").next();
        ImageWriteParam smallest = writer.getDefaultWriteParam();
        smallest.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
        smallest.setCompressionQuality(0);
        try (ImageOutputStream stream = ImageIO.createImageOutputStream(out)) {
            writer.setOutput(stream);
            writer.write(null, new IIOImage(image, null, null), smallest);
        } finally {
            writer.dispose();
        }
        return out.toByteArray();
    }
}
