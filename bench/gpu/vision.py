# SPDX-License-Identifier: Apache-2.0
"""Programs to record (programs.py) that look at pictures of unlike sizes."""
import torch
import torch.nn.functional as F
from torch import nn

DEVICE = "cuda"


def double(inputs, outputs):
    return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(8, outputs), nn.SiLU(),
                         nn.Conv2d(outputs, outputs, 3, padding=1), nn.GroupNorm(8, outputs), nn.SiLU())


class UNet(nn.Module):
    def __init__(self, widths=(32, 64, 128, 256)):
        super().__init__()
        self.first = double(3, widths[0])
        self.down = nn.ModuleList(double(a, b) for a, b in zip(widths, widths[1:]))
        self.up = nn.ModuleList(double(a + b, a) for a, b in zip(widths, widths[1:]))
        self.last = nn.Conv2d(widths[0], 3, 1)

    def forward(self, x):
        kept = [self.first(x)]
        for part in self.down:
            kept.append(part(F.max_pool2d(kept[-1], 2)))
        x = kept.pop()
        for part in reversed(self.up):
            x = part(torch.cat([F.interpolate(x, scale_factor=2), kept.pop()], 1))
        return self.last(x)


def unet(rng, steps=30):
    """A U-Net that learns to remove noise from pictures of 128 to 640 pixels a side."""
    model = UNet().to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters())

    def step():
        height, width = (rng.randrange(128, 641, 32) for _ in range(2))
        clean = torch.rand(4, 3, height, width, device=DEVICE)
        F.mse_loss(model(clean + torch.randn_like(clean)), clean).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(steps):
        yield step


def overlaps(boxes, truths):
    """Intersection over union of each box with each truth."""
    low = torch.maximum(boxes[:, None, :2], truths[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], truths[None, :, 2:])
    shared = (high - low).clamp(min=0).prod(2)
    areas = [(part[:, 2:] - part[:, :2]).prod(1) for part in (boxes, truths)]
    return shared / (areas[0][:, None] + areas[1] - shared)


def random_boxes(count):
    corner = torch.rand(count, 2, device=DEVICE)
    return torch.cat([corner, corner + torch.rand(count, 2, device=DEVICE)], 1)


def detection(rng, steps=40):
    """A detector: anchors matched with 5 to 300 objects, then a head for 200 to 6,000 proposals."""
    backbone = nn.Sequential(nn.Conv2d(3, 64, 7, 4, 3), nn.ReLU(), nn.Conv2d(64, 256, 3, 2, 1), nn.ReLU()).to(DEVICE)
    head = nn.Sequential(nn.Flatten(), nn.Linear(256 * 49, 512), nn.ReLU(), nn.Linear(512, 91)).to(DEVICE)
    optimizer = torch.optim.SGD([*backbone.parameters(), *head.parameters()], .01, momentum=.9)

    def step():
        features = backbone(torch.rand(2, 3, rng.randrange(320, 1345, 32), rng.randrange(320, 1345, 32), device=DEVICE))
        anchors = random_boxes(features.shape[2] * features.shape[3] * 9)
        matches = overlaps(anchors, random_boxes(rng.randint(5, 300)))
        best = matches.max(1).values.topk(rng.randint(200, 6000)).indices % features.shape[0]
        regions = F.adaptive_avg_pool2d(features, 7).detach()[best]
        (head(regions).logsumexp(1).mean() + features.square().mean()).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    for _ in range(steps):
        yield step
